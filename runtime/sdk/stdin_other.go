//go:build !unix

package sdk

import (
	"io"
	"os"
)

func polled(stdin *os.File) io.Reader { return stdin }
