package human

import (
	"strings"
	"testing"

	"vcp.core/fuzz/results"
	"vcp.core/runtime/result"
)

// A human's view is the canonical result, byte for byte.
func TestLossless(t *testing.T) {
	for seed := range uint64(600) {
		s := results.New(seed).Result()
		v, err := result.Open(s)
		if err != nil {
			t.Fatal(err)
		}
		var written strings.Builder
		n, err := Write(&written, v)
		if Present(v) != s.String() || written.String() != s.String() || n != int64(s.Len()) || err != nil {
			t.Fatalf("seed %d: %s\nbecame %s (%v)", seed, s, Present(v), err)
		}
	}
}

// K00 and K31: digits and strings that look like JSON are as the plugin sent them.
func TestNumbersAndNestedText(t *testing.T) {
	const data = `{"id":9007199254740993,"big":123456789012345678901234567890.10,"e":1E400,"text":"{\"a\":1}","html":"<b>&</b>"}`
	s := result.Seal(result.Parts{Data: result.Bytes([]byte(data))})
	v, err := result.Open(s)
	if err != nil || !strings.Contains(Present(v), `"data":`+data+`,`) {
		t.Errorf("%v: %s", err, Present(v))
	}
}
