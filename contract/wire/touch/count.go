//go:build touched

// Package touch counts the bytes of a document that are looked at.
package touch

import "sync/atomic"

var count atomic.Int64

// Bytes says that n bytes are looked at.
func Bytes(n int) { count.Add(int64(n)) }

// Equal says that a text of the document is compared with one of that length, which is read if both are as long.
func Equal(a, b int) {
	if a == b {
		Bytes(a)
	}
}

// Compared says that two texts of documents are compared: they are read up to the first difference.
func Compared(a, b []byte) {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	Bytes(min(n+1, len(a)) + min(n+1, len(b)))
}

// Count returns the bytes so far, of all goroutines.
func Count() int { return int(count.Load()) }
