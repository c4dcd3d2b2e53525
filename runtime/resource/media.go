package resource

import (
	"mime"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	v1 "vcp.core/generated/protocol/v1"
)

// sniffed is how many bytes a media type is looked for in.
const sniffed = 4096

const (
	octetStream = "application/octet-stream"
	plainText   = "text/plain"
)

// claims are what others than the bytes say about a media type, in the order in which they are believed
// (specification §7.5); "" says nothing. The plugin's own is the last.
type claims struct{ dataURI, extension, draft string }

// mediaType settles the media type of bytes that begin with head. stood is false when the plugin's own claim
// was set aside.
//
// Bytes win. Where they prove a format, no claim changes that; a claim that says less, such as application/zip
// for a document in a ZIP, or text/plain for JSON, stands. Where they prove no more than a family (text, ZIP,
// nothing) a claim may say more, as long as it does not need a proof: a format that has a signature of its
// own would have shown it, and what a browser runs is never taken on faith.
func mediaType(head []byte, c claims) (result string, stood bool) {
	found := mimetype.Detect(head[:min(len(head), sniffed)])
	result = base(found.String())
	for _, claim := range []string{c.dataURI, c.extension, c.draft} {
		if claim = base(claim); claim != "" && claim != octetStream && compatible(found, claim) {
			result = claim
			break
		}
	}
	own := base(c.draft)
	return result, own == "" || own == octetStream || own == result || compatible(found, own) || mimetype.EqualsAny(own, result)
}

// compatible reports whether bytes of the found type may be called by the claim.
func compatible(found *mimetype.MIME, claim string) bool {
	if found.Is(claim) {
		return true
	}
	if active(base(found.String())) {
		// What runs is called what it is; XML may be called by the name of its vocabulary.
		return found.Is("text/xml") && strings.HasSuffix(claim, "+xml")
	}
	for general := found.Parent(); general != nil; general = general.Parent() {
		if general.Is(claim) {
			return true
		}
	}
	if active(claim) {
		return false
	}
	known := mimetype.Lookup(claim)
	switch {
	case found.Is(plainText):
		// Formats of text have weak signatures, or none.
		return textual(claim)
	case known == nil:
		return found.Is(octetStream) && !textual(claim)
	case found.Is(octetStream):
		return false
	default:
		for general := known.Parent(); general != nil; general = general.Parent() {
			if found.Is(base(general.String())) {
				return true
			}
		}
		return false
	}
}

// misnamed are names in wide use for types that are registered under another one.
var misnamed = map[string]string{
	"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "audio/mp3": "audio/mpeg", "text/x-markdown": "text/markdown",
	"text/json": "application/json", "application/x-yaml": "application/yaml", "text/yaml": "application/yaml", "text/x-yaml": "application/yaml",
}

// base is a media type without parameters, in lower case, by its registered name, "" for what is none.
func base(mediaType string) string {
	name, _, _ := strings.Cut(mediaType, ";")
	name = strings.ToLower(strings.TrimSpace(name))
	if !wellFormed(name) {
		return "" // a data URI may say anything
	}
	if registered, ok := misnamed[name]; ok {
		return registered
	}
	return name
}

// wellFormed judges a media type in lower case by the grammar of RFC 6838 §4.2.
func wellFormed(name string) bool {
	top, sub, ok := strings.Cut(name, "/")
	const first, rest = "abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklmnopqrstuvwxyz0123456789!#$&^_.+-"
	for _, part := range []string{top, sub} {
		ok = ok && part != "" && len(part) <= 127 && strings.IndexByte(first, part[0]) >= 0 && strings.Trim(part, rest) == ""
	}
	return ok
}

// active reports whether a browser might run what a document of this type holds.
func active(name string) bool {
	switch name {
	case "text/html", "text/xml", "application/xml", "text/javascript", "application/javascript", "application/x-javascript",
		"application/ecmascript", "text/ecmascript", "application/wasm", "application/x-shockwave-flash":
		return true
	}
	return strings.HasSuffix(name, "+xml")
}

// textual reports whether documents of a type are made of characters.
func textual(name string) bool {
	if strings.HasPrefix(name, "text/") || strings.HasSuffix(name, "+json") || strings.HasSuffix(name, "+yaml") {
		return true
	}
	switch name {
	case "application/json", "application/yaml", "application/toml", "application/x-ndjson", "application/jsonl", "application/json-seq",
		"application/sql", "application/x-sh", "application/x-subrip", "application/x-tex", "application/rtf", "application/n-triples", "application/mbox":
		return true
	}
	return false
}

// extensions are those that a claim is made of. The table of the system is not asked: what a name means must
// not depend on the machine.
var extensions = map[string]string{
	".csv": "text/csv", ".tsv": "text/tab-separated-values", ".md": "text/markdown", ".markdown": "text/markdown", ".txt": plainText, ".log": plainText,
	".json": "application/json", ".jsonl": "application/jsonl", ".ndjson": "application/x-ndjson", ".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml",
	".ics": "text/calendar", ".vcf": "text/vcard", ".vtt": "text/vtt", ".srt": "application/x-subrip", ".sql": "application/sql", ".tex": "application/x-tex",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".epub": "application/epub+zip", ".odt": "application/vnd.oasis.opendocument.text", ".ods": "application/vnd.oasis.opendocument.spreadsheet",
}

func byExtension(fileName string) string { return extensions[strings.ToLower(path.Ext(fileName))] }

// kindOf returns the kind under which a resource of a media type is published. A plugin decides whether its
// text is a document, but what is an image, a recording or a film follows from the bytes, both ways. stood
// is false when the plugin's kind was set aside.
func kindOf(claimed v1.Kind, mediaType string) (kind v1.Kind, stood bool) {
	family, _, _ := strings.Cut(mediaType, "/")
	proved := v1.Kind(family)
	media := proved == v1.KindImage || proved == v1.KindAudio || proved == v1.KindVideo
	switch claimed {
	case v1.KindBinary, v1.KindOther:
		return claimed, true
	case v1.KindImage, v1.KindAudio, v1.KindVideo:
		if claimed == proved {
			return claimed, true
		}
	case v1.KindDirectory: // a folder has no bytes, and these are some
	default:
		if !media {
			return claimed, true
		}
	}
	return kindFor(mediaType), false
}

// kindFor is the kind of bytes that nobody has named.
func kindFor(mediaType string) v1.Kind {
	switch family, _, _ := strings.Cut(mediaType, "/"); {
	case family == "image", family == "audio", family == "video":
		return v1.Kind(family)
	case textual(mediaType):
		return v1.KindText
	case mediaType == "application/pdf", active(mediaType):
		return v1.KindDocument
	case mediaType == "application/zip", mediaType == "application/gzip", mediaType == "application/x-tar", mediaType == "application/x-7z-compressed":
		return v1.KindArchive
	default:
		return v1.KindBinary
	}
}

// withCharset adds the charset of a declared type to the type that was settled on, where that is the declared
// one: text cannot be read without it. No other parameter is kept.
func withCharset(settled string, declared ...string) string {
	if !textual(settled) || active(settled) {
		return settled
	}
	for _, d := range declared {
		name, parameters, err := mime.ParseMediaType(d)
		set := strings.ToLower(parameters["charset"])
		if err == nil && base(name) == settled && set != "" && strings.Trim(set, "abcdefghijklmnopqrstuvwxyz0123456789-_") == "" {
			return settled + "; charset=" + set
		}
	}
	return settled
}
