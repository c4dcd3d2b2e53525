// Package serve is the keeper's side of package keeper: the process that plugins are children of. [Main] is the whole
// of a program; vcp-keeper is one. It imports little, so that it stays small in memory.
//
// A keeper starts processes, sends signals to them, waits for all its children, and kills what they leave behind. When
// its runtime is gone, which the end of their socket says, it kills everything and ends. It opens no file of a plugin,
// reads no environment and no configuration, writes nothing but a line about why it cannot serve, and decides nothing
// about plugins: whatever restricts them comes ready made with each request.
package serve

// The roles of the program, its last argument.
const (
	// Namespaced is a keeper that was started in new PID and mount namespaces.
	Namespaced = "namespaced"
	// Guarded is a guard, which starts a keeper below itself.
	Guarded = "guarded"
	// underGuard is that keeper.
	underGuard = "under-guard"
)

// NotServing is the exit code of a keeper that could not begin.
const NotServing = 3
