package golang

import (
	"fmt"
	"strings"

	"vcp.core/gen/diag"
	"vcp.core/gen/ir"
)

// A schema can ask for far more code than it has text: types of unions that lead to unions are made for each way
// through them, and each place has a reader, an encoder and a judge. So there is an end, which is looked for while
// code is being made, before the memory for it is spent. Go's compiler takes about a minute and 4 GB for 10 MiB.

// maxCode is how much Go code a package may have, in bytes, not counting the text of its schemas.
const maxCode = 32 << 20

// CodeLimit is a schema whose Go code is larger than a package may be.
const CodeLimit diag.Code = "emit/limit"

// isFull reports whether the package has too much code, and sees to it that this is told once.
func (e *emitter) isFull() bool {
	if e.written <= e.most || e.full {
		return e.full
	}
	e.full = true
	d := diag.Diagnostic{
		Severity: diag.Error, Code: CodeLimit,
		Message: fmt.Sprintf("limit exceeded: the Go code of package %s would be larger than %d MiB", e.pkg.Name, e.most>>20),
		Hint:    "divide the schema into several packages, or let unions lead to fewer other unions",
	}
	if r := e.largest(); r != nil {
		d.Position, d.Pointer = r.Schema.Origin.Pos, r.Schema.Origin.Pointer
		d.Message += "; most of it is for " + r.Name + ", whose schema is " + where(r.Schema)
	}
	e.diags = append(e.diags, d)
	return true
}

// largest is the root below which most of what was written so far stands, nil when there is none.
func (e *emitter) largest() *Root {
	count := make([]int, len(e.pkg.Roots))
	note := func(s *ir.Schema) {
		if s == nil {
			return
		}
		found, depth := -1, -1
		for i, r := range e.pkg.Roots {
			at := r.Schema.Origin
			if at.Pos.File == s.Origin.Pos.File && len(at.Pointer) > depth &&
				(s.Origin.Pointer == at.Pointer || strings.HasPrefix(s.Origin.Pointer, at.Pointer+"/")) {
				found, depth = i, len(at.Pointer)
			}
		}
		if found >= 0 {
			count[found]++
		}
	}
	for _, s := range e.shapes {
		note(s.about)
	}
	for id := range e.judging.funcs {
		note(e.judging.prog.Schemas[id])
	}
	var largest *Root
	most := -1
	for i := range count {
		if count[i] > most {
			largest, most = &e.pkg.Roots[i], count[i]
		}
	}
	return largest
}

// counter counts bytes.
type counter int

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// measure looks at what the judges take so far, each time that there are twice as many. The code of a judge is not
// text before it is rendered, and to render is much of all work.
func (g *judging) measure() {
	if g.functions++; g.functions < g.measureAt {
		return
	}
	g.measureAt = 2 * g.functions
	var size counter
	if g.file(judgeFile).Render(&size) == nil { // what is wrong shows at the end
		g.written += int(size) - g.measuredAs
		g.measuredAs = int(size)
	}
}

// measureFirst is for how many judges nobody looks.
const measureFirst = 1 << 10

// maxWarnings is how many warnings about one package are told.
const maxWarnings = 1000

// CodeMore says that there are warnings that are not listed.
const CodeMore diag.Code = "emit/more"

// few leaves out warnings that are too many. The list is sorted.
func few(list diag.List) diag.List {
	kept := list[:0:0]
	warnings := 0
	for _, d := range list {
		if d.Severity == diag.Warning {
			if warnings++; warnings > maxWarnings {
				continue
			}
		}
		kept = append(kept, d)
	}
	if warnings > maxWarnings {
		kept = append(kept, diag.Diagnostic{
			Severity: diag.Warning, Code: CodeMore,
			Message: fmt.Sprintf("%d more warnings about Go types are not listed", warnings-maxWarnings),
		})
		kept.Sort()
	}
	return kept
}
