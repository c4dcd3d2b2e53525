package wire

// Opt is the value of an optional member: absent, or present with a value. Absent is not the zero value of
// T: an absent string is not "". The zero Opt is absent, and two Opts of a comparable T compare with ==.
type Opt[T any] struct {
	value   T
	present bool
}

// Some returns a present v.
func Some[T any](v T) Opt[T] { return Opt[T]{value: v, present: true} }

// Get returns the value, and whether it is present. An absent value is the zero T.
func (o Opt[T]) Get() (v T, present bool) { return o.value, o.present }

// Present reports whether there is a value.
func (o Opt[T]) Present() bool { return o.present }

// Or returns the value if it is present, else v.
func (o Opt[T]) Or(v T) T {
	if o.present {
		return o.value
	}
	return v
}

// Nullable is a value that may be null. The zero Nullable is null. A member that may be absent and may be
// null is an Opt[Nullable[T]].
type Nullable[T any] struct {
	value   T
	notNull bool
}

// NotNull returns v as a Nullable.
func NotNull[T any](v T) Nullable[T] { return Nullable[T]{value: v, notNull: true} }

// Get returns the value, and whether it is not null. A null value is the zero T.
func (n Nullable[T]) Get() (v T, notNull bool) { return n.value, n.notNull }

// IsNull reports whether the value is null.
func (n Nullable[T]) IsNull() bool { return !n.notNull }

// Or returns the value if it is not null, else v.
func (n Nullable[T]) Or(v T) T {
	if n.notNull {
		return n.value
	}
	return v
}

// Raw is one JSON value as it was received, or that a program built. Its bytes are checked where they come
// from (a scan) or where they go to (the result is scanned before it is sealed), not here. A nil Raw stands
// for null.
type Raw []byte

// Kind returns the kind that the first byte announces, KindNone for bytes that cannot start a value.
func (r Raw) Kind() Kind {
	if len(r) == 0 {
		return KindNull
	}
	switch c := r[0]; c {
	case '"':
		return KindString
	case '{':
		return KindObject
	case '[':
		return KindArray
	case 'n':
		return KindNull
	case 't':
		return KindTrue
	case 'f':
		return KindFalse
	default:
		if c == '-' || c-'0' <= 9 {
			return KindNumber
		}
		return KindNone
	}
}

// Text returns the decoded text of a string.
func (r Raw) Text() (text string, ok bool) {
	var t Tape
	if r.Kind() != KindString || t.Scan(r, Limits{}) != nil {
		return "", false
	}
	return t.String(0), true
}

// AppendJSON appends the bytes, null for a nil Raw.
func (r Raw) AppendJSON(dst []byte) []byte {
	if len(r) == 0 {
		return append(dst, "null"...)
	}
	return append(dst, r...)
}

// MarshalJSON is AppendJSON for encoders that look for this method. The error is nil.
func (r Raw) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// String returns the bytes as text.
func (r Raw) String() string { return string(r.AppendJSON(nil)) }

// ResourceMember is the name of the only member of a resource reference (specification §5.6).
const ResourceMember = "$resource"

// Ref is a reference to a resource: {"$resource": ID} on the wire.
type Ref struct {
	ID string
}

// RefAt returns the reference that value i of t is. ok is false unless the value is an object with the one
// member $resource, a string.
func RefAt(t *Tape, i int) (ref Ref, ok bool) {
	if t.Kind(i) != KindObject || t.Count(i) != 1 || !t.NameEqual(i+1, ResourceMember) || t.Kind(i+2) != KindString {
		return Ref{}, false
	}
	return Ref{ID: t.String(i + 2)}, true
}

// AppendJSON appends the reference as JSON.
func (r Ref) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"`+ResourceMember+`":`...)
	dst = AppendQuoted(dst, r.ID)
	return append(dst, '}')
}

// MarshalJSON is AppendJSON for encoders that look for this method. The error is nil.
func (r Ref) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// OrNull is null for the empty string.
func OrNull(s string) Nullable[string] {
	if s == "" {
		return Nullable[string]{}
	}
	return NotNull(s)
}
