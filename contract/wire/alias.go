package wire

import "unsafe"

// This file is the package's only use of unsafe. Its two conversions avoid a copy where the bytes are known
// not to change.

// alias returns b as a string without a copy. The caller sees to it that b does not change while the
// string is in use; that is the tape's own condition on its source.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// readOnly returns the bytes of s without a copy. The caller must not write to them.
func readOnly(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// sizeOf returns the bytes of a T without what it points to.
func sizeOf[T any]() int {
	var v T
	return int(unsafe.Sizeof(v))
}
