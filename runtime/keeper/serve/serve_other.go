//go:build !(linux && (amd64 || arm64))

package serve

import "os"

// Main says that there is no keeper on this system, and ends the program.
func Main() {
	_, _ = os.Stderr.WriteString("vcp-keeper: there is no keeper on this system: plugins are children of their runtime\n")
	os.Exit(NotServing)
}
