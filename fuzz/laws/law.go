package laws

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"vcp.core/contract/wire"
)

// Law is one promise of the compiler.
type Law struct {
	Name      string
	Statement string // in one sentence

	// try holds a document against the law. relevant tells whether the law says something about it; a reason
	// is why it is broken.
	try func(s *subject, d Document) (relevant bool, reason string)
}

// All returns the laws.
func All() []Law {
	return []Law{
		{"round trip", "A document that is decoded and encoded again is equal to itself in JSON Schema's sense.", roundTrip},
		{"agreement", "Decoding accepts a document exactly when validating does, and both refuse it for the same reason.", agreement},
		{"closed", "Whatever was decoded encodes to a valid document.", closed},
		{"live", "Validating reaches the verdict of live.", likeLive},
		{"samples", "A document that the sampler calls valid is valid.", samples},
	}
}

func roundTrip(s *subject, d Document) (bool, string) {
	encode, broke, err := s.decode(d.Bytes)
	switch {
	case broke != "":
		return true, broke
	case err != nil:
		return false, ""
	}
	out, broke := guarded(func() []byte { return encode(nil) })
	if broke != "" {
		return true, broke
	}
	want, _ := canonical(d.Bytes)
	got, err := canonical(out)
	switch {
	case err != nil:
		return true, fmt.Sprintf("encodes %s, which is no JSON: %v", out, err)
	case !bytes.Equal(want, got):
		return true, fmt.Sprintf("encodes %s", out)
	}
	// Once more, behind bytes that are there already: an encoder appends, and always the same.
	const before = "before"
	again, broke := guarded(func() []byte { return encode([]byte(before)) })
	if broke != "" {
		return true, broke
	}
	if !bytes.Equal(again, append([]byte(before), out...)) {
		return true, fmt.Sprintf("encodes %s, and then, appended to %q, %s", out, before, again)
	}
	return true, ""
}

func agreement(s *subject, d Document) (bool, string) {
	_, broke, decoded := s.decode(d.Bytes)
	if broke != "" {
		return true, broke
	}
	src := slices.Clone(d.Bytes)
	broke, validated := s.validate(src)
	switch {
	case broke != "":
		return true, broke
	case !bytes.Equal(src, d.Bytes):
		return true, fmt.Sprintf("validating changes the document to %s", src)
	case (decoded == nil) != (validated == nil):
		return true, fmt.Sprintf("decoding says %v, validating says %v", decoded, validated)
	case !sameRefusal(decoded, validated):
		return true, fmt.Sprintf("decoding says %v (%T), validating says %v (%T)", decoded, decoded, validated, validated)
	}
	return true, ""
}

// sameRefusal compares errors of the two types that generated code has. Others are nobody's business.
func sameRefusal(a, b error) bool {
	scanA, x := errors.AsType[*wire.Error](a)
	scanB, y := errors.AsType[*wire.Error](b)
	if x || y {
		return x && y && scanA.Offset == scanB.Offset && scanA.Reason == scanB.Reason
	}
	ruleA, x := errors.AsType[*wire.Rejection](a)
	ruleB, y := errors.AsType[*wire.Rejection](b)
	if x || y {
		return x && y && *ruleA == *ruleB
	}
	return true
}

func closed(s *subject, d Document) (bool, string) {
	encode, broke, err := s.decode(d.Bytes)
	switch {
	case broke != "":
		return true, broke
	case err != nil:
		return false, ""
	}
	out, broke := guarded(func() []byte { return encode(nil) })
	if broke != "" {
		return true, broke
	}
	if broke, err = s.validate(slices.Clone(out)); err != nil || broke != "" {
		return true, fmt.Sprintf("encodes %s, and validating that says %v%s", out, err, broke)
	}
	return true, ""
}

func likeLive(s *subject, d Document) (bool, string) {
	want, scan := s.live.Document(d.Bytes)
	broke, err := s.validate(slices.Clone(d.Bytes))
	if broke != "" {
		return true, broke
	}
	if scan != nil {
		if err == nil || !sameRefusal(scan, err) {
			return true, fmt.Sprintf("validating says %v, the scan says %v", err, scan)
		}
		return true, ""
	}
	got := wire.Valid
	if err != nil {
		got = wire.Invalid
	}
	if refusal, ok := errors.AsType[*wire.Rejection](err); ok {
		got = refusal.Verdict()
	}
	if got != want {
		return true, fmt.Sprintf("validating says %s (%v), live says %s %v", word(got), err, word(want), s.live.Violations(d.Bytes))
	}
	return true, ""
}

func samples(s *subject, d Document) (bool, string) {
	if !d.Valid {
		return false, ""
	}
	if broke, err := s.validate(slices.Clone(d.Bytes)); err != nil || broke != "" {
		return true, fmt.Sprintf("validating says %v%s", err, broke)
	}
	return true, ""
}

func word(v wire.Verdict) string {
	switch v {
	case wire.Valid:
		return "valid"
	case wire.Undecided:
		return "undecided"
	}
	return "invalid"
}

// canonical returns the form in which documents that are equal in JSON Schema's sense are the same bytes.
func canonical(doc []byte) ([]byte, error) {
	var t wire.Tape
	if err := t.Scan(doc, wire.Limits{}); err != nil {
		return nil, err
	}
	return wire.AppendCanonical(nil, &t, t.Root()), nil
}

// guarded calls f and says in words if it panics: a panic breaks the law that was being tried.
func guarded[T any](f func() T) (result T, broke string) {
	defer func() {
		if p := recover(); p != nil {
			broke = fmt.Sprintf("panic: %v", p)
		}
	}()
	return f(), ""
}
