package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	plotfont "gonum.org/v1/plot/font"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
)

// GlyphsMissing is the warning about characters that the font does not have.
const GlyphsMissing errcode.Warning = "CHART.GLYPHS_MISSING"

// maxFontFile bounds the font that an operator names; the largest fonts for all of Chinese have 30 MB.
const maxFontFile = 64 << 20

// lettering is the font of a chart: the built-in one, or the operator's.
type lettering struct {
	font plotfont.Font
	face *sfnt.Font
}

// builtIn is the font that comes with the drawing library.
func builtIn() lettering {
	f := plotfont.Font{Typeface: "Liberation", Variant: "Sans"}
	face := plotfont.DefaultCache.Lookup(f, 1)
	return lettering{font: f, face: face.Face}
}

// letteringFor chooses the font for some texts: the file that the operator named, or the built-in font, or, where
// that one lacks characters, the first font of the system that lacks none.
func letteringFor(file string, texts []string) (lettering, error) {
	if file != "" {
		return letteringOf(file)
	}
	l := builtIn()
	if l.missing(texts...) == nil {
		return l, nil
	}
	for _, pattern := range systemFonts {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if other, err := letteringOf(file); err == nil && other.missing(texts...) == nil {
				return other, nil
			}
		}
	}
	return l, nil
}

// systemFonts are where fonts with Chinese, Japanese and Korean characters are found on Linux, macOS and Windows.
var systemFonts = []string{
	"/usr/share/fonts/*/noto*/NotoSansCJK-Regular.*", "/usr/share/fonts/*/*/NotoSansCJK-Regular.*", "/usr/share/fonts/*/NotoSansCJK-Regular.*",
	"/usr/share/fonts/*/wqy*/wqy-*.tt[cf]", "/usr/share/fonts/*/droid/DroidSansFallback*.ttf", "/usr/share/fonts/*/*/DroidSansFallback*.ttf",
	"/System/Library/Fonts/PingFang.ttc", "/System/Library/Fonts/Hiragino Sans GB.ttc", "/System/Library/Fonts/STHeiti Medium.ttc",
	`C:\Windows\Fonts\msyh.ttc`, `C:\Windows\Fonts\simsun.ttc`,
}

// letteringOf loads a font file. A file that cannot be used is the operator's mistake, so the caller learns no more
// than that.
func letteringOf(file string) (lettering, error) {
	stat, err := os.Stat(file)
	if err != nil {
		return lettering{}, fmt.Errorf("the font file cannot be used: %w", err)
	}
	if !stat.Mode().IsRegular() || stat.Size() > maxFontFile {
		return lettering{}, fmt.Errorf("the font file is no regular file of at most %d bytes", maxFontFile)
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return lettering{}, fmt.Errorf("the font file cannot be read: %w", err)
	}
	face, err := parseFont(src)
	if err != nil {
		return lettering{}, fmt.Errorf("the font file is no font: %w", err)
	}
	l := lettering{font: plotfont.Font{Typeface: plotfont.Typeface(file)}, face: face}
	plotfont.DefaultCache.Add(plotfont.Collection{{Font: l.font, Face: face}})
	return l, nil
}

// parseFont reads a font, or the first one of a collection.
func parseFont(src []byte) (*sfnt.Font, error) {
	face, err := opentype.Parse(src)
	if err == nil {
		return face, nil
	}
	collection, _ := opentype.ParseCollection(src)
	if collection == nil {
		return nil, err
	}
	return collection.Font(0)
}

// apply sets the font of every text of a plot. Sizes are in points, at 72 points to the inch.
func (l lettering) apply(p *plot.Plot) {
	set := func(f *plotfont.Font, size plotfont.Length, weight font.Weight) {
		*f = l.font
		f.Size = size
		if l.font.Typeface == "Liberation" {
			f.Weight = weight
		}
	}
	set(&p.Title.TextStyle.Font, 16, font.WeightBold)
	set(&p.X.Label.TextStyle.Font, 12, font.WeightNormal)
	set(&p.Y.Label.TextStyle.Font, 12, font.WeightNormal)
	set(&p.X.Tick.Label.Font, 11, font.WeightNormal)
	set(&p.Y.Tick.Label.Font, 11, font.WeightNormal)
	set(&p.Legend.TextStyle.Font, 12, font.WeightNormal)
}

// missing lists the characters of the texts that the font does not have, each once.
func (l lettering) missing(texts ...string) []rune {
	var buf sfnt.Buffer
	seen := map[rune]bool{}
	var list []rune
	for _, text := range texts {
		for _, r := range text {
			if seen[r] || r == ' ' || r == '\n' {
				continue
			}
			seen[r] = true
			if glyph, err := l.face.GlyphIndex(&buf, r); err != nil || glyph == 0 {
				list = append(list, r)
			}
		}
	}
	return list
}

// warnings tells about characters that will not be shown, nil when there are none.
func (l lettering) warnings(texts ...string) []call.Warning {
	missing := l.missing(texts...)
	if len(missing) == 0 {
		return nil
	}
	const shown = 20
	some := string(missing[:min(len(missing), shown)])
	var details strings.Builder
	fmt.Fprintf(&details, `{"count":%d,"characters":%s}`, len(missing), wire.AppendQuoted(nil, some))
	return []call.Warning{{
		Code:    GlyphsMissing,
		Message: fmt.Sprintf("the font lacks %d of the characters, which are not shown; the setting fontFile names another font", len(missing)),
		Details: wire.Raw(details.String()),
	}}
}
