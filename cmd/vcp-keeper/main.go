// Command vcp-keeper is the parent of plugin processes. A runtime starts it, once, and talks to it over a socket; it
// does nothing when somebody else does. See package keeper.
package main

import "vcp.core/runtime/keeper/serve"

func main() { serve.Main() }
