// Command oracle-v6 is the child process of package oracle: jsonschema v6 behind JSON lines. It reads
// requests on standard input and ends with it; it takes no flags.
package main

import (
	"fmt"
	"os"

	"vcp.core/fuzz/peers/oracle"
)

func main() {
	if err := oracle.Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "oracle-v6: error: %v\n", err)
		os.Exit(1)
	}
}
