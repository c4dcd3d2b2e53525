package ecma

import (
	"encoding/json"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// nodeRanges prints what node matches with the \p{…} in its argument, as ranges of the code points
// that it knows (the assigned ones; surrogates and private use left out), null for a name that
// it refuses. The argument maps names to whether their ranges are wanted.
const nodeRanges = `
const all = [];
for (let c = 0; c <= 0x10ffff; c++) {
  const s = String.fromCodePoint(c);
  if (/[^\\p{Cn}\\p{Cs}\\p{Co}]/u.test(s)) all.push(s);
}
const text = all.join('');
const answer = {version: process.versions.unicode, known: null, ranges: {}};
function ranges(re) {
  const found = [];
  for (const [run] of text.matchAll(re)) for (const s of run) {
    const c = s.codePointAt(0), last = found.at(-1);
    if (last && last[1] === c - 1) last[1] = c; else found.push([c, c]);
  }
  return found;
}
answer.known = ranges(/[^]+/gu);
for (const [name, whole] of Object.entries(JSON.parse(process.argv[1]))) {
  let re;
  try { re = new RegExp('\\p{' + name + '}+', 'gu'); } catch { answer.ranges[name] = null; continue; }
  answer.ranges[name] = whole ? ranges(re) : [];
}
console.log(JSON.stringify(answer));
`

// TestPropertiesAgreeWithNode compares every property on every code point that both sides know. Both
// move with their Unicode versions, so a few code points may have changed their properties between
// the two; more than a handful of them means a fault here.
func TestPropertiesAgreeWithNode(t *testing.T) {
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("no node, so no oracle for properties: %v", err)
	}
	names, aliases := propertyNames()
	questions := map[string]bool{}
	for alias := range aliases {
		questions[alias] = false
	}
	for _, name := range names {
		questions[name] = true
	}
	argument, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	output, err := exec.Command(path, "-e", nodeRanges, string(argument)).Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var answer struct {
		Version string
		Known   [][2]rune
		Ranges  map[string][][2]rune
	}
	if err := json.Unmarshal(output, &answer); err != nil {
		t.Fatal(err)
	}
	others := union(lookupProperty("Cn", "", false), ofRanges(answer.Known).not())
	tolerated := 60
	if answer.Version == strings.TrimSuffix(unicode.Version, ".0") {
		tolerated = 0
	}
	for _, name := range names {
		theirs := answer.Ranges[name]
		ours := find(name)
		if (ours == nil) != (theirs == nil) {
			t.Errorf("\\p{%s}: known here: %v, known to node: %v", name, ours != nil, theirs != nil)
			continue
		}
		if ours == nil {
			continue
		}
		want := ofRanges(theirs)
		moved := union(ours.minus(want), want.minus(ours)).minus(others)
		count := 0
		for _, p := range moved.spans {
			count += int(p.hi-p.lo) + 1
		}
		if count > 0 {
			t.Logf("\\p{%s}: Unicode %s here and %s in node differ on %d code points: %X", name, unicode.Version, answer.Version, count, moved.spans)
		}
		if count > tolerated {
			t.Errorf("\\p{%s}: more than %d code points differ", name, tolerated)
		}
	}
	for alias, name := range aliases {
		ours, long := find(alias), find(name)
		if ours == nil || long == nil || answer.Ranges[alias] == nil || !slices.Equal(ours.spans, long.spans) {
			t.Errorf("\\p{%s} is not \\p{%s}", alias, name)
		}
	}
	t.Logf("%d names compared with Unicode %s", len(names), answer.Version)
}

// find looks up what stands between the braces of \p{…}.
func find(text string) *set {
	name, value, pair := strings.Cut(text, "=")
	return lookupProperty(name, value, pair)
}

// propertyNames lists the names that a pattern may use, some that it may not, and the aliases.
func propertyNames() (names []string, aliases map[string]string) {
	names = []string{
		"Other_Alphabetic", "Hyphen", "letter", "LETTER", "InGreek", "IsGreek", "Block=Greek", "Greek",
		"Script", "Script=", "=", "", "gc=", "gc=Alphabetic", "sc=Hrkt", "sc=Katakana_Or_Hiragana",
		"Line_Break=AL", "RGI_Emoji", "Basic_Emoji", "Script=Unknown", "scx=Unknown",
		"Any", "Assigned", "ASCII", "Alphabetic", "Lowercase", "Uppercase", "Cased", "Math",
		"Default_Ignorable_Code_Point", "Grapheme_Extend", "Grapheme_Base", "ID_Start", "ID_Continue",
	}
	aliases = map[string]string{"Script_Extensions=Grek": "scx=Greek"}
	for name := range unicode.Categories {
		names = append(names, "gc="+name)
		aliases[name] = "gc=" + name
		aliases["General_Category="+name] = "gc=" + name
	}
	for long, short := range unicode.CategoryAliases {
		aliases[long] = "gc=" + short
		aliases["gc="+long] = "gc=" + short
	}
	for name := range unicode.Scripts {
		names = append(names, "Script="+name, "scx="+name)
	}
	for short, long := range scriptNames {
		aliases["sc="+short] = "Script=" + long
		aliases["scx="+short] = "scx=" + long
	}
	for name := range unicode.Properties {
		names = append(names, name)
	}
	for name := range binaryTables {
		names = append(names, name)
	}
	maps.Copy(aliases, binaryNames)
	delete(aliases, "STerm") // package unicode has a table of this name
	return names, aliases
}

func ofRanges(ranges [][2]rune) *set {
	var spans []span
	for _, r := range ranges {
		spans = append(spans, span{r[0], r[1]})
	}
	return newSet(spans)
}
