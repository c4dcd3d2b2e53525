//go:build ignore

// Command gen_table writes table_gen_test.go anew.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"vcp.core/fuzz/generated"
)

func main() {
	table, _, err := generated.Table(filepath.Join("..", "..", "generated"))
	if err == nil {
		err = os.WriteFile(generated.TableFile, table, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen_table:", err)
		os.Exit(1)
	}
}
