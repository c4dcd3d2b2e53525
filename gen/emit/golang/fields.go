package golang

import (
	"strconv"
	"strings"
)

// field is a field of a composite literal that is written when set is true.
type field struct {
	name, value string
	set         bool
}

// lit is a field that holds a string, unset when it is empty.
func lit(name, value string) field { return field{name, strconv.Quote(value), value != ""} }

// list is a field that holds a slice, one element a line; unset when there is none.
func list[T any](name, goType string, elements []T, write func(T) string) field {
	var b strings.Builder
	for _, e := range elements {
		b.WriteString(write(e) + ",\n")
	}
	return field{name, goType + "{\n" + b.String() + "}", len(elements) > 0}
}

// given returns the fields that are set.
func given(list []field) []field {
	var set []field
	for _, f := range list {
		if f.set {
			set = append(set, f)
		}
	}
	return set
}

// inline writes fields on one line.
func inline(list ...field) string {
	var texts []string
	for _, f := range given(list) {
		texts = append(texts, f.name+": "+f.value)
	}
	return strings.Join(texts, ", ")
}

// rows writes fields in groups, a group a line. gofmt aligns the first values of lines, lists over several
// lines aside, as long as nothing follows them on their line: the last of the aligned lines may have more.
func rows(groups ...[]field) string {
	var lines [][]field
	for _, g := range groups {
		if set := given(g); set != nil {
			lines = append(lines, set)
		}
	}
	broken := func(i int) bool { return strings.Contains(lines[i][0].value, "\n") }
	var b strings.Builder
	for i := 0; i < len(lines); {
		end, width := i+1, len(lines[i][0].name)
		for ; end < len(lines) && len(lines[end-1]) == 1 && !broken(end-1) && !broken(end); end++ {
			width = max(width, len(lines[end][0].name))
		}
		for ; i < end; i++ {
			f := lines[i][0]
			b.WriteString(f.name + ":" + strings.Repeat(" ", 1+width-len(f.name)) + f.value)
			if len(lines[i]) > 1 {
				b.WriteString(", " + inline(lines[i][1:]...))
			}
			b.WriteString(",\n")
		}
	}
	return b.String()
}
