package record

import (
	"math"
	"strconv"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/runtime/result"
)

// Index is the structure of a result, so that a reader of one member, or of counts alone, need not scan the text.
type Index struct {
	Members [members]Span // the value of member m is Members[m-1]
	Counts  Counts        // of data
}

// Span is a range of bytes in the canonical text.
type Span struct{ Start, End uint32 }

// members is how many top-level members a result has.
const members = int(result.Extensions)

// Counts says how much there is in a value.
type Counts struct {
	Values       int // all values, containers among them
	Arrays       int
	Elements     int // of all arrays together
	LongestArray int // in elements
	LongStrings  int // strings of more than 256 bytes
	LongestText  int // bytes of the longest string, as it is spelled
}

// long is how many bytes a string may have without being counted as a long one.
const long = 256

// Member returns the compact JSON of a member of the text that the index is of, "" when the two do not belong
// together.
func (x *Index) Member(text string, m result.Member) string {
	if m < 1 || int(m) > members {
		return ""
	}
	at := x.Members[m-1]
	if at.Start > at.End || int(at.End) > len(text) {
		return ""
	}
	return text[at.Start:at.End]
}

func indexOf(v *result.Visible) Index {
	var x Index
	t := v.Tape()
	for m := result.Protocol; int(m) <= members; m++ {
		if at := v.At(m); at >= 0 {
			x.Members[m-1] = Span{t.Node(at).Start, t.Node(at).End}
		}
	}
	if at := v.At(result.Data); at >= 0 {
		x.Counts.add(t, at)
	}
	return x
}

// add counts a value and what is in it: its nodes in document order, names left out.
func (c *Counts) add(t *wire.Tape, at int) {
	for i := at; i < t.Next(at); i++ {
		n := t.Node(i)
		if n.Flags&wire.Name != 0 {
			continue
		}
		c.Values++
		switch n.Kind {
		case wire.KindArray:
			c.Arrays++
			c.Elements += int(n.Count)
			c.LongestArray = max(c.LongestArray, int(n.Count))
		case wire.KindString:
			size := int(n.End-n.Start) - len(`""`)
			if size > long {
				c.LongStrings++
			}
			c.LongestText = max(c.LongestText, size)
		}
	}
}

// counted is how many numbers Counts are.
const counted = 6

// numbers are all fields of an index in the order in which they are written.
func (x *Index) numbers() (out [2*members + counted]int) {
	for i, m := range x.Members {
		out[2*i], out[2*i+1] = int(m.Start), int(m.End)
	}
	c := &x.Counts
	*(*[counted]int)(out[2*members:]) = [counted]int{c.Values, c.Arrays, c.Elements, c.LongestArray, c.LongStrings, c.LongestText}
	return out
}

// String writes the index as stores keep it: numbers with blanks between them. Later versions may append some.
func (x *Index) String() string {
	var buf [256]byte
	out := buf[:0]
	for i, n := range x.numbers() {
		if i > 0 {
			out = append(out, ' ')
		}
		out = strconv.AppendInt(out, int64(n), 10)
	}
	return string(out)
}

// ParseIndex reads what String wrote. Numbers that it does not know are passed over, those that are missing are 0:
// an index speeds up reading, the text alone is the truth.
func ParseIndex(s string) Index {
	var n [2*members + counted]int
	i := 0
	for field := range strings.FieldsSeq(s) {
		if i == len(n) {
			break
		}
		number, err := strconv.Atoi(field)
		if err != nil || number < 0 || i < 2*members && number > math.MaxUint32 {
			return Index{}
		}
		n[i] = number
		i++
	}
	var x Index
	for i := range x.Members {
		x.Members[i] = Span{uint32(n[2*i]), uint32(n[2*i+1])}
	}
	c := n[2*members:]
	x.Counts = Counts{Values: c[0], Arrays: c[1], Elements: c[2], LongestArray: c[3], LongStrings: c[4], LongestText: c[5]}
	return x
}
