package fuzz

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// Config makes a configuration for a plugin that was given none, and tells the secrets in it: settings that the
// schema marks as writeOnly get values that nobody says by accident. What else is in it is as little as the schema
// allows. It is nil for a plugin that takes no configuration. ok is false when none was found.
func Config(name string, schema []byte, seed uint64) (config []byte, secrets []string, ok bool) {
	if schema == nil {
		return nil, nil, true
	}
	judge := Live(name, schema, false)
	source, err := Source(schema)
	if judge == nil || err != nil {
		return nil, nil, false
	}
	var tape wire.Tape
	fits := func(doc []byte) bool {
		return tape.Scan(doc, wire.Limits{}) == nil && tape.Kind(tape.Root()) == wire.KindObject && judge.Verdict(&tape) == wire.Valid
	}
	candidates := [][]byte{[]byte("{}")}
	for s := range uint64(50) {
		if doc, made := source.Valid(seed + s); made {
			candidates = append(candidates, doc)
		}
	}
	file, _ := load.Parse(name, schema, wire.Limits{})
	for _, doc := range candidates {
		if !fits(doc) {
			continue
		}
		config, secrets := withSecrets(doc, file.Root, seed, fits)
		return config, secrets, true
	}
	return nil, nil, false
}

// withSecrets sets the members of a configuration that are secret, as far as the schema takes the values.
func withSecrets(doc []byte, schema *load.Node, seed uint64, fits func([]byte) bool) ([]byte, []string) {
	rng := rand.New(rand.NewPCG(seed, 0x736563726574))
	var secrets []string
	properties := schema.Get("properties")
	if properties == nil {
		return doc, nil
	}
	for _, m := range properties.Members {
		if mark := m.Value.Get("writeOnly"); mark == nil || mark.Kind != wire.KindTrue {
			continue
		}
		secret := fmt.Sprintf("fuzz-secret-%016x", rng.Uint64())
		if other := set(doc, m.Name, wire.AppendQuoted(nil, secret)); fits(other) {
			doc, secrets = other, append(secrets, secret)
		}
	}
	return doc, secrets
}

// entry is a member of an object, its value as it is spelled.
type entry struct {
	name  string
	value []byte
}

// object lists the members of an object; nil for anything else.
func object(doc []byte) []entry {
	file, list := load.Parse("object", doc, wire.Limits{})
	if list.HasErrors() {
		return nil
	}
	var out []entry
	for _, m := range file.Root.Members {
		out = append(out, entry{m.Name, file.Raw(m.Value)})
	}
	return out
}

// set sets a member of an object.
func set(doc []byte, name string, value []byte) []byte {
	members := object(doc)
	if at := slices.IndexFunc(members, func(e entry) bool { return e.name == name }); at >= 0 {
		members[at].value = value
	} else {
		members = append(members, entry{name, value})
	}
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(wire.AppendQuoted(out, m.name), ':'), m.value...)
	}
	return append(out, '}')
}
