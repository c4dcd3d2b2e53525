package canary

import (
	"testing"

	"vcp.core/contract/wire"
)

// The search finds every form, or laws that rest on it would prove nothing.
func TestFindFindsEveryForm(t *testing.T) {
	for _, secret := range []string{Secret, "sk_live_51Hq8ZkTwE0aBc", "correct horse battery", "钥匙/密码+秘密"} {
		for _, f := range Forms() {
			text := f.Write(secret)
			if err := new(wire.Tape).Scan([]byte(text), wire.Limits{}); err != nil {
				t.Fatalf("%s is no JSON: %v: %s", f.Name, err, text)
			}
			if len(Find(text, secret)) == 0 {
				t.Errorf("%s of %q is not found in %s", f.Name, secret, text)
			}
		}
		for _, p := range Payloads(secret) {
			if err := new(wire.Tape).Scan([]byte(p), wire.Limits{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if ways := Find(Data("something else"), Secret); ways != nil {
		t.Errorf("found what is not there: %v", ways)
	}
}

// The digits of an escape belong to the escape: what stands behind it begins no secret in it, in JSON at least.
func TestFindReadsEscapesWhole(t *testing.T) {
	for text, tells := range map[string]bool{
		`["\u00000000"]`:        false,
		`["\u000000000000"]`:    true,
		`{"\u00000000":"0000"}`: true, // the strings put together
		`["\\u00000000"]`:       true, // a backslash, and text
		`[100000000]`:           true,
		`\u00000000`:            true, // no JSON: whoever prints it shows these characters
	} {
		if got := Find(text, "00000000") != nil; got != tells {
			t.Errorf("%s tells: %v", text, got)
		}
	}
}
