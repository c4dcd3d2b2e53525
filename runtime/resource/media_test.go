package resource

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	v1 "vcp.core/generated/protocol/v1"
)

func encoded(encode func(io.Writer) error) []byte {
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}

var (
	canvas  = image.NewPaletted(image.Rect(0, 0, 7, 5), color.Palette{color.Black, color.White})
	pngFile = encoded(func(w io.Writer) error { return png.Encode(w, canvas) })
	jpgFile = encoded(func(w io.Writer) error { return jpeg.Encode(w, canvas, nil) })
	gifFile = encoded(func(w io.Writer) error { return gif.Encode(w, canvas, nil) })
	zipped  = encoded(func(w io.Writer) error {
		z := gzip.NewWriter(w)
		_, _ = z.Write([]byte("x"))
		return z.Close()
	})
	zipFile = []byte("PK\x03\x04\x14\x00\x00\x00\x08\x00" + strings.Repeat("\x00", 16) + "\x05\x00\x00\x00a.txt")
)

func TestMediaTypes(t *testing.T) {
	const (
		svg  = `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>`
		html = `<!DOCTYPE html><html><script>alert(1)</script></html>`
		xml  = `<?xml version="1.0"?><feed><x/></feed>`
	)
	tests := []struct {
		name  string
		head  string
		c     claims
		want  string
		stood bool
	}{
		// Bytes win.
		{"png", string(pngFile), claims{}, "image/png", true},
		{"png said to be one", string(pngFile), claims{draft: "image/png"}, "image/png", true},
		{"png said to be jpeg", string(pngFile), claims{draft: "image/jpeg"}, "image/png", false},
		{"png said to be text", string(pngFile), claims{draft: "text/plain"}, "image/png", false},
		{"jpeg by its wrong name", string(jpgFile), claims{draft: "image/jpg"}, "image/jpeg", true},
		{"case and parameters", string(jpgFile), claims{draft: "IMAGE/JPEG ; q=1"}, "image/jpeg", true},
		{"gif", string(gifFile), claims{draft: "image/gif"}, "image/gif", true},
		{"gif and script in one", "GIF89a/*" + strings.Repeat(" ", 20) + "*/=1;alert(1)", claims{draft: "text/javascript"}, "image/gif", false},
		{"pdf in html's clothes", "%PDF-1.7\n", claims{draft: "text/html"}, "application/pdf", false},
		{"html said to be png", html, claims{draft: "image/png"}, "text/html", false},
		{"html said to be text", html, claims{draft: "text/plain"}, "text/html", false},
		{"html said to be markdown", html, claims{extension: "text/markdown", draft: "text/markdown"}, "text/html", false},
		{"svg", svg, claims{draft: "image/svg+xml"}, "image/svg+xml", true},
		{"svg said to be png", svg, claims{draft: "image/png"}, "image/svg+xml", false},
		{"svg said to be text", svg, claims{draft: "text/plain"}, "image/svg+xml", false},
		{"gzip", string(zipped), claims{draft: "application/gzip"}, "application/gzip", true},

		// A claim that says less stands.
		{"json said to be text", `{"a":1}`, claims{draft: "text/plain"}, "text/plain", true},
		{"json", `{"a":1}`, claims{}, "application/json", true},
		{"anything said to be bytes", string(pngFile), claims{draft: "application/octet-stream"}, "image/png", true},

		// A claim that says more stands where nothing is proved, and nothing could be.
		{"text", "hello\n", claims{}, "text/plain", true},
		{"markdown", "# Title\n", claims{draft: "text/markdown"}, "text/markdown", true},
		{"csv of one column", "a\n1\n2\n", claims{draft: "text/csv"}, "text/csv", true},
		{"csv by its name", "a\n1\n2\n", claims{extension: "text/csv"}, "text/csv", true},
		{"the name before the plugin", "a\n1\n2\n", claims{extension: "text/csv", draft: "text/markdown"}, "text/csv", true},
		{"the data URI before the name", "a\n1\n2\n", claims{dataURI: "text/tab-separated-values", extension: "text/csv"}, "text/tab-separated-values", true},
		{"yaml", "a: 1\nb: 2\n", claims{draft: "text/x-yaml"}, "application/yaml", true},
		{"json that is a number", "12", claims{draft: "application/json"}, "application/json", true},
		{"html without a tag", "hello", claims{draft: "text/html"}, "text/plain", false},
		{"svg without its namespace", "<svg></svg>", claims{draft: "image/svg+xml"}, "text/plain", false},
		{"script", "alert(1)", claims{draft: "text/javascript"}, "text/plain", false},
		{"xml of some vocabulary", xml, claims{draft: "application/atom+xml"}, "application/atom+xml", true},
		{"xml said to be html", xml, claims{draft: "text/html"}, "text/xml", false},
		{"text said to be png", "hello", claims{draft: "image/png"}, "text/plain", false},
		{"text said to be zip", "hello", claims{draft: "application/zip"}, "text/plain", false},
		{"zip", string(zipFile), claims{draft: "application/zip"}, "application/zip", true},
		{"zip said to be a document", string(zipFile), claims{draft: extensions[".docx"]}, extensions[".docx"], true},
		{"zip said to be a pdf", string(zipFile), claims{draft: "application/pdf"}, "application/zip", false},
		{"bytes", "\x00\x01\x02\x03", claims{}, "application/octet-stream", true},
		{"bytes of a format without a signature", "\x00\x01\x02\x03", claims{draft: "model/x-mesh"}, "model/x-mesh", true},
		{"bytes said to be png", "\x00\x01\x02\x03", claims{draft: "image/png"}, "application/octet-stream", false},
		{"bytes said to be text", "\x00\x01\x02\x03", claims{draft: "text/x-foo"}, "application/octet-stream", false},
		{"bytes said to be a program", "\x00\x01\x02\x03", claims{draft: "application/wasm"}, "application/octet-stream", false},
		{"a data URI that says nonsense", "a\n1\n", claims{dataURI: "/0", extension: "text/csv"}, "text/csv", true},
		{"nothing", "", claims{draft: "image/png"}, "text/plain", false},
		{"nothing, as text", "", claims{draft: "text/csv"}, "text/csv", true},
	}
	for _, tt := range tests {
		if got, stood := mediaType([]byte(tt.head), tt.c); got != tt.want || stood != tt.stood {
			t.Errorf("%s: %q %v, want %q %v", tt.name, got, stood, tt.want, tt.stood)
		}
	}
}

func TestKinds(t *testing.T) {
	tests := []struct {
		claimed v1.Kind
		media   string
		want    v1.Kind
		stood   bool
	}{
		{v1.KindImage, "image/png", v1.KindImage, true},
		{v1.KindImage, "text/html", v1.KindText, false},
		{v1.KindImage, "video/mp4", v1.KindVideo, false},
		{v1.KindImage, "application/octet-stream", v1.KindBinary, false},
		{v1.KindVideo, "image/gif", v1.KindImage, false},
		{v1.KindDocument, "image/png", v1.KindImage, false},
		{v1.KindDocument, "application/pdf", v1.KindDocument, true},
		{v1.KindDocument, "text/markdown", v1.KindDocument, true},
		{v1.KindText, "application/json", v1.KindText, true},
		{v1.KindText, "audio/mpeg", v1.KindAudio, false},
		{v1.KindArchive, "application/x-foo", v1.KindArchive, true},
		{v1.KindBinary, "image/png", v1.KindBinary, true},
		{v1.KindOther, "audio/mpeg", v1.KindOther, true},
		{v1.KindDirectory, "application/zip", v1.KindArchive, false},
		{v1.KindDirectory, "application/pdf", v1.KindDocument, false},
	}
	for _, tt := range tests {
		if got, stood := kindOf(tt.claimed, tt.media); got != tt.want || stood != tt.stood {
			t.Errorf("%s of %s: %s %v, want %s %v", tt.claimed, tt.media, got, stood, tt.want, tt.stood)
		}
	}
}

func TestCharsets(t *testing.T) {
	tests := []struct {
		settled  string
		declared []string
		want     string
	}{
		{"text/csv", []string{"", "text/csv; charset=GBK; header=present"}, "text/csv; charset=gbk"},
		{"text/csv", []string{`text/csv; charset="utf-8"`}, "text/csv; charset=utf-8"},
		{"text/csv", []string{"text/plain; charset=gbk"}, "text/csv"},
		{"text/csv", []string{`text/csv; charset="a b"`}, "text/csv"},
		{"text/html", []string{"text/html; charset=utf-7"}, "text/html"},
		{"image/png", []string{"image/png; charset=gbk"}, "image/png"},
	}
	for _, tt := range tests {
		if got := withCharset(tt.settled, tt.declared...); got != tt.want {
			t.Errorf("%s of %q: %q, want %q", tt.settled, tt.declared, got, tt.want)
		}
	}
}

// webpFile is the beginning of a WebP file with the given chunk.
func webpFile(name, body string) []byte {
	return []byte("RIFF\x00\x00\x00\x00WEBP" + name + "\x00\x00\x00\x00" + body + strings.Repeat("\x00", 20))
}

func TestDimensions(t *testing.T) {
	// A bomb: 60,000 by 60,000 pixels, of which nothing is there.
	bomb := slices.Clone(pngFile[:33])
	copy(bomb[16:], "\x00\x00\xea\x60\x00\x00\xea\x60")
	copy(bomb[29:], pngChecksum(bomb[12:29]))
	tests := []struct {
		name, media   string
		head          []byte
		width, height int
	}{
		{"png", "image/png", pngFile, 7, 5},
		{"jpeg", "image/jpeg", jpgFile, 7, 5},
		{"gif", "image/gif", gifFile, 7, 5},
		{"webp", "image/webp", webpFile("VP8 ", "\x00\x00\x00\x9d\x01\x2a\x07\x00\x05\x00"), 7, 5},
		{"webp, scaled", "image/webp", webpFile("VP8 ", "\x00\x00\x00\x9d\x01\x2a\x07\x40\x05\x80"), 7, 5},
		{"webp without loss", "image/webp", webpFile("VP8L", "\x2f\x06\x00\x01\x00"), 7, 5},
		{"webp, extended", "image/webp", webpFile("VP8X", "\x00\x00\x00\x00\x06\x00\x00\x04\x00\x00"), 7, 5},
		{"webp of another kind", "image/webp", webpFile("VP9 ", ""), 0, 0},
		{"webp, broken", "image/webp", webpFile("VP8 ", ""), 0, 0},
		{"webp, cut", "image/webp", webpFile("VP8X", "")[:20], 0, 0},
		{"a bomb", "image/png", append(bomb, pngFile[33:]...), 60_000, 60_000},
		{"png, cut", "image/png", pngFile[:20], 0, 0},
		{"no image", "text/plain", pngFile, 0, 0},
	}
	for _, tt := range tests {
		width, height, ok := dimensions(tt.media, tt.head)
		if width*height > 0 != ok || ok != (tt.width > 0) || ok && (width != tt.width || height != tt.height) {
			t.Errorf("%s: %d by %d, %v", tt.name, width, height, ok)
		}
	}
	if n := testing.AllocsPerRun(10, func() { dimensions("image/png", append(bomb, pngFile[33:]...)) }); n > 50 {
		t.Errorf("the bomb costs %v allocations", n)
	}
}

// pngChecksum is the check of a chunk.
func pngChecksum(chunk []byte) []byte {
	return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk))
}

// A JPEG may carry a profile and a preview of some 100 KB before its size.
func TestProbeLooksFarEnough(t *testing.T) {
	segment := append([]byte{0xff, 0xe1, 0xff, 0xff}, make([]byte, 0xffff-2)...)
	file := slices.Concat(jpgFile[:2], segment, segment, segment, jpgFile[2:])
	for _, chunk := range []int{1, 100, sniffed, 1 << 20} {
		p := &probe{r: iotest.DataErrReader(bytes.NewReader(file))}
		if _, err := io.CopyBuffer(writing(func(b []byte) (int, error) { return len(b), nil }), struct{ io.Reader }{p}, make([]byte, chunk)); err != nil {
			t.Fatal(err)
		}
		if width, height, ok := dimensions("image/jpeg", p.head); !ok || width != 7 || height != 5 {
			t.Errorf("in chunks of %d: %d by %d, %v, from %d bytes", chunk, width, height, ok, len(p.head))
		}
	}
	// Of other things no more is kept than is sniffed; of a huge image no more than its beginning.
	for _, tt := range []struct {
		file []byte
		want int
	}{{bytes.Repeat([]byte("text "), 10_000), sniffed}, {append(slices.Clone(pngFile), make([]byte, 2<<20)...), headered}} {
		p := &probe{r: bytes.NewReader(tt.file)}
		if _, err := io.Copy(io.Discard, p); err != nil || len(p.head) != tt.want {
			t.Errorf("kept %d bytes, want %d, %v", len(p.head), tt.want, err)
		}
	}
}
