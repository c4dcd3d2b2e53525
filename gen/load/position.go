package load

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"vcp.core/gen/diag"
)

// lines answers "which line, which column" in O(log lines + stride). Columns count code points, which
// needs a walk from the start of the line; a schema of 4 MiB on one line with a thousand findings
// would walk four gigabytes. So the number of code points before every stride-th byte is kept.
type lines struct {
	starts []int // byte offsets at which lines start; starts[0] is 0
	runes  []int // runes[i] is the number of code points that start before byte i*stride
}

const stride = 1024

// indexLines finds line starts. A line ends with LF, so CRLF ends one too and its CR is the last
// column of the line; a lone CR is whitespace like any other.
func indexLines(src []byte) lines {
	l := lines{starts: make([]int, 1, bytes.Count(src, []byte{'\n'})+1)}
	for at := 0; ; {
		i := bytes.IndexByte(src[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		l.starts = append(l.starts, at)
	}
	l.runes = make([]int, 1, len(src)/stride+1)
	for at, n := 0, 0; at+stride <= len(src); at += stride {
		n += countStarts(src[at : at+stride])
		l.runes = append(l.runes, n)
	}
	return l
}

// countStarts counts the bytes at which a code point begins. Bytes that are not UTF-8 (a refused
// document may have some) count as one each unless they look like continuations.
func countStarts(b []byte) int {
	n := 0
	for _, c := range b {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}

// Position returns line and column of a byte offset. Offsets outside the file are moved to its nearest
// end; an offset inside a code point has the column of that code point.
func (f *File) Position(offset int) diag.Position {
	offset = min(max(offset, 0), len(f.Src))
	for offset < len(f.Src) && offset > 0 && !utf8.RuneStart(f.Src[offset]) {
		offset--
	}
	line := sort.SearchInts(f.lines.starts, offset+1)
	start := f.lines.starts[line-1]
	return diag.Position{
		File:   f.Name,
		Line:   line,
		Col:    f.runesBefore(offset) - f.runesBefore(start) + 1,
		Offset: offset,
	}
}

func (f *File) runesBefore(offset int) int {
	i := offset / stride
	return f.lines.runes[i] + countStarts(f.Src[i*stride:offset])
}
