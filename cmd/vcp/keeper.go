package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"time"

	"vcp.core/runtime/keeper"
	"vcp.core/runtime/transport/process"
)

// keeping are the flags about the processes of plugins.
type keeping struct {
	Keeper   string   `help:"The program that plugins' processes are kept by, or off. Default: vcp-keeper beside this program, if it is there." placeholder:"FILE|off" env:"VCP_KEEPER"`
	Sandbox  string   `help:"Whether plugins that are programs are kept to their own files: ${enum}. Needs the keeper. Default: on" enum:"on,off" default:"on" placeholder:"on|off" env:"VCP_SANDBOX"`
	Readable []string `help:"Let plugins also read and run what is in this folder; repeatable." placeholder:"DIR" env:"VCP_READABLE"`
	Writable []string `help:"Let plugins also write in this folder; repeatable." placeholder:"DIR" env:"VCP_WRITABLE"`
}

// off is the keeper that is none.
const off = "off"

// beside returns a file in the folder of this program, or why that is not known.
func beside(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(self), name), nil
}

// keeperName is the file of the keeper's program.
func keeperName() string {
	if goruntime.GOOS == "windows" {
		return "vcp-keeper.exe"
	}
	return "vcp-keeper"
}

// profile is what plugins may do.
func (k *keeping) profile() keeper.Profile {
	p := keeper.Default()
	p.Sandbox = k.Sandbox != off
	for _, dir := range k.Readable {
		p.Read = append(p.Read, absolute(dir))
	}
	for _, dir := range k.Writable {
		p.Write = append(p.Write, absolute(dir))
	}
	return p
}

func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// openKeeper finds the keeper. One that was asked for must be there, and one that is there must do: plugins do not lose their
// sandbox because a file was copied without its mode. It returns nil, and why, when plugins are children of this program.
func (a *app) openKeeper() (*keeper.Keeper, error, error) {
	file, unknown := a.flags.Keeper, error(nil)
	switch file {
	case off:
		return nil, errors.New("it is switched off by --keeper"), nil
	case "":
		file, unknown = beside(keeperName())
	}
	profile := a.flags.profile()
	k, err := keeper.New(keeper.Program(file), keeper.Logger(a.logger()), keeper.Profiles(func(string) keeper.Profile { return profile }))
	switch {
	case err == nil:
		return k, nil, nil
	case errors.Is(err, keeper.ErrUnsupported):
		return nil, err, nil
	case a.flags.Keeper != "":
		return nil, err, wrongUse("--keeper names the program vcp-keeper; make build puts it beside vcp", "the keeper cannot be used: %v", err)
	case unknown != nil:
		return nil, fmt.Errorf("the folder of this program is not known: %w", unknown), nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no " + keeperName() + " beside this program"), nil
	default:
		return nil, err, &stop{code: exitFindings, message: fmt.Sprintf("the keeper cannot be used: %v", err), hint: "make build puts it beside vcp; --keeper off does without"}
	}
}

// launcher returns what starts the processes of plugins.
func (a *app) launcher() (process.Launcher, error) {
	if a.keeper == nil {
		k, why, err := a.openKeeper()
		if err != nil {
			return nil, err
		}
		if k == nil {
			a.unkept = why
			return process.Groups{}, nil
		}
		a.keeper = k
	}
	return a.keeper, nil
}

// confines reports whether programs run in a sandbox.
func (a *app) confines() bool { return a.keeper != nil && a.flags.profile().Sandbox }

// close ends what the command left running.
func (a *app) close() {
	if a.keeper == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = a.keeper.Close(ctx) // one that does not end in time ends by itself
}
