package ours

import (
	"maps"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/suite"
	"vcp.core/gen/resolve"
)

// UndecidedError reports the third verdict where only two are allowed.
type UndecidedError struct{}

// Error says it in a sentence.
func (*UndecidedError) Error() string { return "undecided" }

// Engine lets the official suite run the whole compiler. It is a suite.Engine.
func Engine(d suite.Dialect, schema []byte, remotes suite.Remotes) (suite.Judge, error) {
	const uri = "urn:suite:group"
	s := Schema{URI: uri, Documents: maps.Clone(remotes), Dialect: resolve.Draft2020}
	switch d {
	case suite.Draft2019:
		s.Dialect = resolve.Draft2019
	case suite.Draft07:
		s.Dialect = resolve.Draft07
	}
	s.Documents[uri] = schema
	judge, err := Compile(s)
	if err != nil {
		return nil, err
	}
	return func(document []byte) (bool, error) {
		v, err := judge.Document(document)
		if err == nil && v == wire.Undecided {
			err = &UndecidedError{}
		}
		return v == wire.Valid, err
	}, nil
}
