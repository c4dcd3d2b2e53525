package runtime

import (
	"bytes"
	"fmt"
	"sync"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
)

// settings remember, for each command, the configuration that its schema was last asked about, and the answer:
// configurations change rarely.
type settings struct {
	known sync.Map // *call.Spec -> judged
}

type judged struct {
	config []byte
	err    error
}

// ConfigError says that a configuration breaks the configSchema of its tool. It is for the operator's log:
// callers are told no more than INTERNAL_ERROR.
type ConfigError struct {
	Tool       string
	Violations []call.Violation // the first ones; none when the configuration is no JSON
	Err        error            // of the scan, when it is no JSON
}

// Error says what is wrong first, and where.
func (e *ConfigError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("the configuration of %s is no JSON: %v", e.Tool, e.Err)
	}
	v := e.Violations[0]
	return fmt.Sprintf("the configuration of %s does not fit its schema: %q: %s", e.Tool, v.Pointer, v.Message)
}

// Unwrap returns the error of the scan.
func (e *ConfigError) Unwrap() error { return e.Err }

// check holds a configuration against the schema of the manifest. A direct plugin decodes its configuration
// itself, by code that judges it.
func (s *settings) check(spec *call.Spec, config []byte, explain *explainers) error {
	if spec.Protocol == "direct" || spec.ConfigSchema == nil {
		return nil
	}
	if last, ok := s.known.Load(spec); ok && bytes.Equal(last.(judged).config, config) {
		return last.(judged).err
	}
	now := judged{config: bytes.Clone(config)}
	var t wire.Tape
	if err := t.Scan(now.config, wire.Limits{}); err != nil {
		now.err = &ConfigError{Tool: spec.Tool, Err: err}
	} else if list := explain.config(spec, &t); len(list) > 0 {
		now.err = &ConfigError{Tool: spec.Tool, Violations: list[:min(len(list), maxListed)]}
	}
	s.known.Store(spec, now)
	return now.err
}
