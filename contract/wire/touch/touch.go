//go:build !touched

// Package touch counts the bytes of a document that are looked at, in builds with the tag "touched" alone: tests
// hold judges against the law that they touch at most 3 × size × arms. In every other build its function is empty
// and costs nothing.
//
// Counted are the scan (every byte once), names and texts and numbers each time that one is read, whether or not
// all of it is, and one byte for each judgement of a value by a schema. It changes nothing and never decides.
package touch

// Bytes says that n bytes are looked at.
func Bytes(int) {}

// Equal says that a text of the document is compared with one of that length, which is read if both are as long.
func Equal(int, int) {}

// Compared says that two texts of documents are compared: they are read up to the first difference.
func Compared(_, _ []byte) {}

// Count returns the bytes so far, of all goroutines: 0 without the tag.
func Count() int { return 0 }
