// Command chartmaker is the plugin ChartMaker: it draws line, bar and scatter charts of numbers as PNG pictures.
//
// Data flow: validated arguments -> columns of numbers -> a plot -> PNG bytes, which go to the core as a resource.
// Numbers are converted to binary floating point for drawing only; what the answer tells about them is what was
// given. The plugin keeps nothing between calls and reads no file but the font that its configuration names, or
// one of the system.
package main

import (
	contract "vcp.core/generated/plugins/chartmaker"
	"vcp.core/runtime/sdk"
)

func main() { sdk.Main(contract.Bind(Maker{})) }
