package emitted

// lawSource is the part of the child's program that holds every generated type against the laws of decoding
// and encoding, on every document that is asked about:
//
//   - Decode accepts exactly what the judge accepts.
//   - Encoding what was decoded gives a document that is equal in JSON Schema's sense, and valid.
//   - What encoding/json makes of the value is the same.
const lawSource = `
func law[T wire.Appender](decode func([]byte) (T, error), validate func([]byte) error) func([]byte, bool) string {
	// What depends on T is small: it is compiled for every type.
	unmarshal := func(src []byte) (wire.Appender, json.Unmarshaler, error) {
		var y T
		u, ok := any(&y).(json.Unmarshaler)
		if !ok {
			return nil, nil, nil
		}
		err := json.Unmarshal(src, &y)
		if u.UnmarshalJSON([]byte("?")) == nil {
			return nil, nil, errors.New("UnmarshalJSON takes what is no JSON")
		}
		return y, u, err
	}
	return func(src []byte, valid bool) string {
		src = bytes.Clone(src)
		x, err := decode(src)
		return lawOf(src, valid, x, err, validate, unmarshal)
	}
}

func lawOf(src []byte, valid bool, x wire.Appender, err error, validate func([]byte) error, unmarshal func([]byte) (wire.Appender, json.Unmarshaler, error)) string {
	if (err == nil) != valid {
		return fmt.Sprintf("decode says %v", err)
	}
	if !valid {
		return ""
	}
	out := x.AppendJSON([]byte("before"))
	if !bytes.HasPrefix(out, []byte("before")) {
		return "the encoder does not append"
	}
	out = out[len("before"):]
	if err := validate(out); err != nil {
		return fmt.Sprintf("encodes %s, which is not valid: %v", out, err)
	}
	if want, got := canonical(src), canonical(out); !bytes.Equal(want, got) {
		return fmt.Sprintf("comes back as %s", out)
	}
	std, err := json.Marshal(x)
	if err != nil {
		return fmt.Sprintf("encoding/json: %v", err)
	}
	if want, got := canonical(src), canonical(std); !bytes.Equal(want, got) {
		return fmt.Sprintf("comes back from encoding/json as %s", std)
	}
	y, u, err := unmarshal(src)
	if err != nil {
		return fmt.Sprintf("encoding/json: %v", err)
	}
	if u != nil && !bytes.Equal(x.AppendJSON(nil), y.AppendJSON(nil)) {
		return fmt.Sprintf("UnmarshalJSON reads otherwise, or forgets: %s", y.AppendJSON(nil))
	}
	return ""
}

func canonical(src []byte) []byte {
	var t wire.Tape
	if err := t.Scan(src, wire.Limits{}); err != nil {
		return []byte(err.Error())
	}
	return wire.AppendCanonical(nil, &t, 0)
}
`
