package emitted

// lawSource is the part of the child's program that holds every generated type against the laws of decoding
// and encoding, on every document that is asked about:
//
//   - Decode accepts exactly what the judge accepts.
//   - Encoding what was decoded gives a document that is equal in JSON Schema's sense, and valid.
//   - What encoding/json makes of the value is the same.
const lawSource = `
func law[T wire.Appender](decode func([]byte) (T, error), validate func([]byte) error) func([]byte, bool) string {
	return func(src []byte, valid bool) string {
		src = bytes.Clone(src)
		x, err := decode(src)
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
		if u, ok := any(&x).(json.Unmarshaler); ok {
			var y T
			if err := json.Unmarshal(src, &y); err != nil {
				return fmt.Sprintf("encoding/json: %v", err)
			}
			if err := u.UnmarshalJSON([]byte("?")); err == nil || !bytes.Equal(x.AppendJSON(nil), y.AppendJSON(nil)) {
				return fmt.Sprintf("UnmarshalJSON takes what is no JSON, or reads otherwise: %s", y.AppendJSON(nil))
			}
		}
		return ""
	}
}

func canonical(src []byte) []byte {
	var t wire.Tape
	if err := t.Scan(src, wire.Limits{}); err != nil {
		return []byte(err.Error())
	}
	return wire.AppendCanonical(nil, &t, 0)
}
`
