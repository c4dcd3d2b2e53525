package wire

import "strconv"

// A Go value may contain itself, where its type does. An encoder that followed it would end the whole program: a stack
// that is full is nothing that Go recovers from. So the encoders of such types count how deep they are, and stop far
// below that, and far above what a document may have.

// maxEncoded is how many values of recursive types may lie in each other. Each of them, or at least each second one, is
// an array or an object, of which a document has 1,024 at most.
const maxEncoded = 4096

// DepthError says that a value contains itself, or is nested as if it did.
type DepthError struct{ Limit int }

// Error says it in a sentence.
func (e *DepthError) Error() string {
	return "the value is nested more than " + strconv.Itoa(e.Limit) + " deep: it may contain itself"
}

// Deeper is for generated encoders. It returns the depth inside of a value at that depth, and panics with a
// [*DepthError] when that is too deep. [Encode] returns the error.
func Deeper(depth int) int {
	if depth >= maxEncoded {
		panic(&DepthError{maxEncoded})
	}
	return depth + 1
}

// Encode appends a value as JSON. The error is a [*DepthError].
func Encode[T Appender](dst []byte, v T) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			deep, ours := r.(*DepthError)
			if !ours {
				panic(r)
			}
			out, err = nil, deep
		}
	}()
	return v.AppendJSON(dst), nil
}
