package wire

import (
	"errors"
	"testing"
)

// chain is nested that many times, as generated encoders of recursive types have it.
type chain int

func (c chain) AppendJSON(dst []byte) []byte { return c.appendJSON(dst, 0) }

func (c chain) appendJSON(dst []byte, depth int) []byte {
	depth = Deeper(depth)
	if c > 1 {
		dst = (c - 1).appendJSON(append(dst, '['), depth)
		return append(dst, ']')
	}
	return append(dst, "[]"...)
}

type faulty struct{}

func (faulty) AppendJSON([]byte) []byte { panic("another reason") }

func TestEncode(t *testing.T) {
	if out, err := Encode([]byte("x"), chain(maxEncoded)); err != nil || len(out) != 1+2*maxEncoded {
		t.Errorf("%d bytes, %v", len(out), err)
	}
	out, err := Encode([]byte("x"), chain(maxEncoded+1))
	if deep, ok := errors.AsType[*DepthError](err); !ok || deep.Limit != maxEncoded || out != nil {
		t.Errorf("%q, %v", out, err)
	}
	defer func() {
		if r := recover(); r != "another reason" {
			t.Errorf("recovered %v", r)
		}
	}()
	_, _ = Encode(nil, faulty{})
}
