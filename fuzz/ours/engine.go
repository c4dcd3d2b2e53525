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

// Options are the switches of the compiler that parts of the official suite ask for.
type Options struct {
	FormatAssertion bool // for optional/format
	Dependencies    bool // for optional/dependencies-compatibility.json
}

// Engine lets the official suite run the whole compiler. It is a suite.Engine.
func Engine(d suite.Dialect, schema []byte, remotes suite.Remotes) (suite.Judge, error) {
	return Options{}.Engine(d, schema, remotes)
}

// Engine is [Engine] with the switches.
func (o Options) Engine(d suite.Dialect, schema []byte, remotes suite.Remotes) (suite.Judge, error) {
	const uri = "urn:suite:group"
	s := Schema{
		URI: uri, Documents: maps.Clone(remotes), Dialect: Dialect(d), Dialects: map[string]resolve.Dialect{},
		FormatAssertion: o.FormatAssertion, Dependencies: o.Dependencies,
	}
	for remote := range remotes {
		s.Dialects[remote] = Dialect(suite.Home(remote, d))
	}
	if s.Documents == nil {
		s.Documents = map[string][]byte{}
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

// Dialect is a dialect of the suite as the compiler calls it.
func Dialect(d suite.Dialect) resolve.Dialect {
	switch d {
	case suite.Draft2019:
		return resolve.Draft2019
	case suite.Draft07:
		return resolve.Draft07
	}
	return resolve.Draft2020
}
