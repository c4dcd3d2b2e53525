package golang

import (
	"bytes"
	"strings"

	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// unify makes definitions that several schemas of a manifest repeat word for word one definition, so that
// they become one Go type. The schemas of a manifest cannot share definitions otherwise: each must make
// sense by itself.
//
// Two definitions are the same when they have the same name, the same text, and when every reference in
// them leads to definitions that are the same in turn. While two are compared they are taken to be the
// same, so that recursive definitions can be. Only places that a reference leads to are redirected; the
// verdict of no document changes, and a rule is reported where it stands first.
//
// The graphs must come fresh from [resolve.Resolve]: they are changed.
func unify(roots []*resolve.Schema) {
	u := unifier{first: map[string][]*resolve.Schema{}, seen: map[*resolve.Schema]bool{}}
	for _, r := range roots {
		u.walk(r)
	}
}

type unifier struct {
	first map[string][]*resolve.Schema // definitions by name, the first of each sort
	seen  map[*resolve.Schema]bool
}

func (u *unifier) walk(s *resolve.Schema) {
	if u.seen[s] {
		return
	}
	u.seen[s] = true
	for i := range s.Keywords {
		k := &s.Keywords[i]
		if k.Name == "$defs" {
			continue // they count where a reference leads to them
		}
		for j, sub := range k.Schemas {
			if k.Name == "$ref" {
				sub = u.representative(sub)
				k.Schemas[j] = sub
			}
			u.walk(sub)
		}
	}
}

// representative returns the first definition that is the same as s.
func (u *unifier) representative(s *resolve.Schema) *resolve.Schema {
	tokens, ok := load.SplitPointer(s.Pointer)
	if n := len(tokens); !ok || n < 2 || tokens[n-2] != "$defs" && tokens[n-2] != "definitions" {
		return s
	}
	name := s.File.Name + "\x00" + s.Pointer[strings.LastIndexByte(s.Pointer, '/'):]
	for _, have := range u.first[name] {
		if same(have, s, map[pair]bool{}) {
			return have
		}
	}
	u.first[name] = append(u.first[name], s)
	return s
}

type pair struct{ a, b *resolve.Schema }

// same compares two schemas. The pairs that were met before are the same, or the whole comparison fails.
func same(a, b *resolve.Schema, met map[pair]bool) bool {
	if a == b || met[pair{a, b}] {
		return true
	}
	met[pair{a, b}] = true
	if len(a.Keywords) != len(b.Keywords) || a.Dialect != b.Dialect || !bytes.Equal(a.File.Raw(a.Node), b.File.Raw(b.Node)) {
		return false
	}
	for i := range a.Keywords {
		for j := range a.Keywords[i].Schemas {
			if !same(a.Keywords[i].Schemas[j], b.Keywords[i].Schemas[j], met) {
				return false
			}
		}
	}
	return true
}
