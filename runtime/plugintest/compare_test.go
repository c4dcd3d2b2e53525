package plugintest

import "testing"

// The matcher must be able to fail, or every case passes.
func TestMismatchSeesDifferences(t *testing.T) {
	tests := []struct{ got, want string }{
		{`1`, `1.0`}, {`{"a":1}`, `{}`}, {`{}`, `{"a":1}`}, {`{"a":1}`, `{"b":1}`}, {`[1,2]`, `[2,1]`}, {`[1]`, `[1,1]`},
		{`"x"`, `{"$match":"^y"}`}, {`1`, `{"$match":"1"}`}, {`null`, `{"$match":""}`}, {`null`, `false`}, {`"a"`, `null`},
	}
	for _, tt := range tests {
		if Mismatch(Decode(t, []byte(tt.got)), Decode(t, []byte(tt.want)), "") == "" {
			t.Errorf("%s passes for %s", tt.got, tt.want)
		}
	}
	same := `{"a":[1,{"b":null}],"c":"x"}`
	if d := Mismatch(Decode(t, []byte(same)), Decode(t, []byte(`{"a":[1,{"b":null}],"c":{"$match":"^x$"}}`)), ""); d != "" {
		t.Error(d)
	}
}
