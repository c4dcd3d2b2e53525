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
