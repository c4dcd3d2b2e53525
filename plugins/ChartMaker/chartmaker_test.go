package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	contract "vcp.core/generated/plugins/chartmaker"
	"vcp.core/runtime/plugintest"
)

// shelf keeps what a command writes.
type shelf struct {
	draft call.Draft
	bytes []byte
}

func (s *shelf) Write(d call.Draft, r io.Reader) (wire.Raw, error) {
	s.draft = d
	var err error
	s.bytes, err = io.ReadAll(r)
	return wire.Raw(`{"id":"` + d.ID + `","kind":"image","role":"output","localPath":"x.png"}`), err
}

// run runs a command and returns its payload and the picture, nil when there is none.
func run(t testing.TB, command, arguments, config string) (map[string]any, image.Image) {
	t.Helper()
	var s shelf
	payload, err := contract.Bind(Maker{}).Handle(t.Context(), call.Invocation{
		Tool: contract.Tool, Command: command, Arguments: []byte(arguments), Config: []byte(config), Resources: &s,
	})
	if err != nil {
		t.Fatalf("%s: %v", arguments, err)
	}
	answer := plugintest.Decode(t, payload).(map[string]any)
	if s.bytes == nil {
		return answer, nil
	}
	picture, err := png.Decode(bytes.NewReader(s.bytes))
	if err != nil {
		t.Fatalf("%s: %v", arguments, err)
	}
	return answer, picture
}

// has counts the pixels of a colour.
func has(picture image.Image, want color.Color) int {
	n := 0
	r, g, b, _ := want.RGBA()
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			if pr, pg, pb, _ := picture.At(x, y).RGBA(); pr == r && pg == g && pb == b {
				n++
			}
		}
	}
	return n
}

func TestCharts(t *testing.T) {
	tests := []struct {
		name, command, arguments string
		width, height            int
		series                   string
	}{
		{"line with a gap", "DrawLine", `{"command":"DrawLine","title":"T","x":[0,6,12,18],"series":[{"name":"a","values":[11.5,10.250,17,15]},{"name":"b","values":[7,6.5,null,9]}]}`,
			1000, 600, `[{"name":"a","points":4,"minimum":10.250,"maximum":17},{"name":"b","points":3,"minimum":6.5,"maximum":9}]`},
		{"line without x", "DrawLine", `{"command":"DrawLine","width":200,"height":4000,"series":[{"name":"a","values":[1,2]}]}`,
			200, 4000, `[{"name":"a","points":2,"minimum":1,"maximum":2}]`},
		{"bars of both signs", "DrawBar", `{"command":"DrawBar","width":500,"height":300,"labels":["p","q"],"series":[{"name":"a","values":[1,-2]},{"name":"b","values":[null,3]}]}`,
			500, 300, `[{"name":"a","points":2,"minimum":-2,"maximum":1},{"name":"b","points":1,"minimum":3,"maximum":3}]`},
		{"stacked bars", "DrawBar", `{"command":"DrawBar","stacked":true,"labels":["p","q"],"series":[{"name":"a","values":[1,-2]},{"name":"b","values":[2,-3]}]}`,
			1000, 600, `[{"name":"a","points":2,"minimum":-2,"maximum":1},{"name":"b","points":2,"minimum":-3,"maximum":2}]`},
		{"scatter", "DrawScatter", `{"command":"DrawScatter","series":[{"name":"a","x":[1,2],"y":[3,9007199254740993]},{"name":"b","x":[1.5],"y":[1e15]}]}`,
			1000, 600, `[{"name":"a","points":2,"minimum":3,"maximum":9007199254740993},{"name":"b","points":1,"minimum":1e15,"maximum":1e15}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			answer, picture := run(t, tt.command, tt.arguments, `{}`)
			if picture == nil {
				t.Fatalf("no picture: %v", answer)
			}
			if b := picture.Bounds(); b.Dx() != tt.width || b.Dy() != tt.height {
				t.Errorf("the picture has %v, want %d x %d", b, tt.width, tt.height)
			}
			want := plugintest.Decode(t, []byte(tt.series)).([]any)
			if d := plugintest.Mismatch(plugintest.Lookup(answer, "/data/series"), want, "series"); d != "" {
				t.Error(d)
			}
			if plugintest.Lookup(answer, "/data/chart/$resource") != resource || plugintest.Lookup(answer, "/presentation/primaryResourceId") != resource {
				t.Errorf("the picture is not referred to: %v", answer)
			}
			for i := range want {
				if has(picture, palette[i]) < 10 {
					t.Errorf("series %d is not to be seen", i)
				}
			}
			if has(picture, palette[len(want)]) > 0 {
				t.Error("there is more to be seen than was given")
			}
		})
	}
}

// A stack is as high as its parts together: the second series begins where the first one ends.
func TestStacksAddUp(t *testing.T) {
	var c chart
	c.letters = builtIn()
	c.begin()
	c.bars([]column{{values: []float64{1, -2, 4}}, {values: []float64{2, -3, -1}}, {values: []float64{math.NaN(), -1, 1}}}, true)
	top := c.legend[2].mark.(*bars).rects
	want := []rect{{x0: 0.6, x1: 1.4, y0: -5, y1: -6}, {x0: 1.6, x1: 2.4, y0: 4, y1: 5}}
	if len(top) != 2 || top[0] != want[0] || top[1] != want[1] {
		t.Errorf("the third series is %v, want %v", top, want)
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct{ command, arguments, code, target string }{
		{"DrawLine", `{"command":"DrawLine","x":[1],"series":[{"name":"a","values":[1,2]}]}`, "CHART.LENGTH_MISMATCH", "/series/0/values"},
		{"DrawLine", `{"command":"DrawLine","series":[{"name":"a","values":[1,2]},{"name":"b","values":[1]}]}`, "CHART.LENGTH_MISMATCH", "/series/1/values"},
		{"DrawLine", `{"command":"DrawLine","series":[{"name":"a","values":[null,null]}]}`, "CHART.NO_POINTS", "/series/0/values"},
		{"DrawLine", `{"command":"DrawLine","x":[1e101],"series":[{"name":"a","values":[1]}]}`, "CHART.OUT_OF_RANGE", "/x/0"},
		{"DrawBar", `{"command":"DrawBar","labels":["p"],"series":[{"name":"a","values":[-1e400]}]}`, "CHART.OUT_OF_RANGE", "/series/0/values/0"},
		{"DrawBar", `{"command":"DrawBar","labels":["p"],"series":[{"name":"a","values":[1,2]}]}`, "CHART.LENGTH_MISMATCH", "/series/0/values"},
		{"DrawScatter", `{"command":"DrawScatter","series":[{"name":"a","x":[1,2],"y":[1]}]}`, "CHART.LENGTH_MISMATCH", "/series/0/y"},
		{"DrawScatter", `{"command":"DrawScatter","series":[{"name":"a","x":[1,1e300],"y":[1,2]}]}`, "CHART.OUT_OF_RANGE", "/series/0/x/1"},
	}
	for _, tt := range tests {
		answer, picture := run(t, tt.command, tt.arguments, `{}`)
		if picture != nil || plugintest.Lookup(answer, "/error/code") != tt.code || plugintest.Lookup(answer, "/error/target") != tt.target {
			t.Errorf("%s: %v, want %s at %s", tt.arguments, answer["error"], tt.code, tt.target)
		}
	}
}

// Whatever the schema allows is drawn: ends of the range, single values, many series, odd texts.
func TestHardCases(t *testing.T) {
	many := func(n int, value string) string { return "[" + strings.Repeat(value+",", n-1) + value + "]" }
	list := func(n int, one func(i int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = one(i)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	odd, err := json.Marshal("a\x00\n\t\u202e\u2028<b>&\U0001f600" + strings.Repeat("W", 80))
	if err != nil {
		t.Fatal(err)
	}
	for _, values := range []string{"[0]", "[5]", "[-1e-300]", "[1e100,-1e100]", "[1e-300,2e-300]", "[1e15,1000000000000001]", "[0.1,0.30000000000000004]", "[1e100]", "[5e-324]", many(10000, "7")} {
		for _, tt := range []struct{ command, arguments string }{
			{"DrawLine", `{"command":"DrawLine","series":[{"name":"a","values":` + values + `}]}`},
			{"DrawScatter", `{"command":"DrawScatter","series":[{"name":"a","x":` + values + `,"y":` + values + `}]}`},
		} {
			if answer, picture := run(t, tt.command, tt.arguments, `{}`); picture == nil {
				t.Errorf("%.100s: %v", tt.arguments, answer)
			}
		}
	}
	for name, arguments := range map[string]string{
		"20 series": `{"command":"DrawBar","width":200,"height":200,"labels":` + list(200, func(i int) string { return fmt.Sprintf(`"label %d of many"`, i) }) + `,"series":` +
			list(20, func(i int) string {
				return fmt.Sprintf(`{"name":"%s %d","values":%s}`, strings.Repeat("name", 20), i, many(200, "1.5"))
			}) + `}`,
		"odd texts": fmt.Sprintf(`{"command":"DrawBar","title":%[1]s,"xLabel":%[1]s,"yLabel":%[1]s,"labels":[""],"series":[{"name":"a","values":[0]},{"name":%[1]s,"values":[1e100]}],"stacked":true}`, odd),
		"all zero":  `{"command":"DrawBar","labels":["a"],"series":[{"name":"a","values":[0]}]}`,
	} {
		if answer, picture := run(t, "DrawBar", arguments, `{}`); picture == nil {
			t.Errorf("%s: %v", name, answer)
		}
	}
}

func TestSteps(t *testing.T) {
	tests := []struct {
		lo, hi float64
		wanted int
		labels string
	}{
		{6.5, 17, 6, "6 8 10 12 14 16 18"},
		{0, 1, 4, "0.0 0.5 1.0"},
		{0, 1, 10, "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0"},
		{-11, 18, 5, "-20 -10 0 10 20"},
		{5, 5, 4, "4.5 5.0 5.5"},
		{0, 0, 2, "-1 0 1"},
		{1e9, 2e9, 2, "1e+09 1.5e+09 2e+09"},
		{0, 2e-9, 2, "0 1e-09 2e-09"},
	}
	for _, tt := range tests {
		s := stepsOf(tt.lo, tt.hi, tt.wanted)
		var labels []string
		for i := range s.count + 1 {
			v := s.first + float64(i)*s.step
			if math.Abs(v) < s.step/2 {
				v = 0
			}
			labels = append(labels, s.label(v))
		}
		if got := strings.Join(labels, " "); got != tt.labels {
			t.Errorf("%v to %v: %s, want %s", tt.lo, tt.hi, got, tt.labels)
		}
	}
}

func TestGlyphs(t *testing.T) {
	l := builtIn()
	if got := string(l.missing("Grüße, °C, Ж", "项目 €", "项")); got != "项目" {
		t.Errorf("missing %q, want 项目", got)
	}
	w := l.warnings("项")
	if len(w) != 1 || w[0].Code != GlyphsMissing || string(w[0].Details) != `{"count":1,"characters":"项"}` {
		t.Errorf("warnings %+v", w)
	}
	if w := l.warnings("a"); w != nil {
		t.Errorf("warnings about nothing: %+v", w)
	}
}

// A font that cannot be used is the operator's mistake: no payload, but an error for the log.
func TestFontFile(t *testing.T) {
	for _, file := range []string{"no-such-file.ttf", "plugin-manifest.json", "."} {
		_, err := contract.Bind(Maker{}).Handle(t.Context(), call.Invocation{
			Command: "DrawLine", Arguments: []byte(`{"command":"DrawLine","series":[{"name":"a","values":[1]}]}`),
			Config: []byte(`{"fontFile":"` + file + `"}`), Resources: &shelf{},
		})
		if err == nil || !strings.Contains(err.Error(), "font file") {
			t.Errorf("%s: %v", file, err)
		}
	}
}
