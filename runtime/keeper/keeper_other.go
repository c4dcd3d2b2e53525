//go:build !(linux && (amd64 || arm64))

package keeper

import (
	"context"

	"vcp.core/runtime/transport/process"
)

// Keeper launches processes through a keeper. There is none on this system.
type Keeper struct{}

// New returns [ErrUnsupported].
func New(...Option) (*Keeper, error) { return nil, ErrUnsupported }

// State returns [ErrUnsupported].
func (*Keeper) State() (State, error) { return State{}, ErrUnsupported }

// Start returns [ErrUnsupported].
func (*Keeper) Start(process.Command) (*process.Process, error) { return nil, ErrUnsupported }

// Close has nothing to do.
func (*Keeper) Close(context.Context) error { return nil }
