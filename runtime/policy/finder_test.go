package policy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// mask is a text after one finder.
func mask(f *finder, text string) string {
	w := &walk{finders: []*rule{{find: f, within: ^uint32(0), Rule: Rule{Name: "r"}}}}
	if changed, ok := w.masked([]byte(text)); ok {
		return changed
	}
	return text
}

// x is a text of n characters that a key can have.
func x(n int) string { return strings.Repeat("aB3", n/3+1)[:n] }

func TestFinders(t *testing.T) {
	tests := []struct {
		name     string
		f        *finder
		in, want string // want "" is in
	}{
		{"OpenAI", &credentials, "key sk-" + x(48) + ".", "key [redacted]."},
		{"project key", &credentials, "sk-proj-" + x(20) + "_" + x(20) + "-x", "[redacted]"},
		{"Stripe", &credentials, `"sk_live_` + x(24) + `"`, `"[redacted]"`},
		{"GitHub", &credentials, "ghp_" + x(36) + ",gho_" + x(36), "[redacted],[redacted]"},
		{"GitHub, fine", &credentials, "github_pat_" + x(30), "[redacted]"},
		{"AWS", &credentials, "id=AKIAIOSFODNN7EXAMPLE", "id=[redacted]"},
		{"AWS, longer", &credentials, "AKIAIOSFODNN7EXAMPLE1", ""},
		{"Google", &credentials, "AIza" + x(35), "[redacted]"},
		{"Slack", &credentials, "xoxb-123456789012-" + x(24), "[redacted]"},
		{"web token", &credentials, "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9 ok", "jwt [redacted] ok"},
		{"web token without signature", &credentials, "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0NTY3ODkwIn0.", "[redacted]"},
		{"base64 of JSON", &credentials, "eyJhbGciOiJIUzI1NiJ9", ""},
		{"private key", &credentials, "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", "a\n[redacted]\nb"},
		{"private key, cut", &credentials, "-----BEGIN PRIVATE KEY-----\nMIIE", "[redacted]"},
		{"private key of PGP", &credentials, "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQ\n-----END PGP PRIVATE KEY BLOCK-----\nb", "[redacted]\nb"},
		{"words about a key", &credentials, "-----BEGIN of a PRIVATE KEY chapter", ""},
		{"certificate", &credentials, "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----", ""},
		{"bearer", &credentials, "Authorization: Bearer " + x(20), "Authorization: Bearer [redacted]"},
		{"bearer in words", &credentials, "the bearer certificates-of-nothing here", ""},
		{"basic", &credentials, "authorization: basic dXNlcjpwYXNz", "authorization: basic [redacted]"},
		{"basic in words", &credentials, "Basic functionality", ""},
		{"password in a URL", &credentials, "postgres://ann:hunter2@db.example/x", "postgres://ann:[redacted]@db.example/x"},
		{"@ in a password", &credentials, "https://ann:p@ss@db.example:80/x?y@z", "https://ann:[redacted]@db.example:80/x?y@z"},
		{"list of addresses", &credentials, "https://ann:hunter2@a.example,https://eve:hunter3@b.example", "https://ann:[redacted]@a.example,https://eve:[redacted]@b.example"},
		{"user in a URL", &credentials, "https://ann@example.com:80/a@b", ""},
		{"time in a URL", &credentials, "https://example.com/12:30@x", ""},
		{"parameter", &credentials, "https://a.example/?x=1&access_token=" + x(12) + "&y=2", "https://a.example/?x=1&access_token=[redacted]&y=2"},
		{"fragment", &credentials, "https://a.example/cb#access_token=" + x(12) + "&state=1", "https://a.example/cb#access_token=[redacted]&state=1"},
		{"signed URL", &credentials, "https://a.example/?X-Amz-Signature=" + x(64), "https://a.example/?X-Amz-Signature=[redacted]"},
		{"short parameter", &credentials, "/?token=abc&page_token=" + x(12), ""},
		{"package names", &credentials, "sk-learn sk-estimator-checks-and-more ghp_ disk-" + x(30) + " task_" + x(30), ""},
		{"hashes", &credentials, "sha256:" + strings.Repeat("0123456789abcdef", 4) + " 3fa85f64-5717-4562-b3fc-2c963f66afa6", ""},
		{"ids", &credentials, "res_01J2XQ3Z5K8N7P4R6T9V0W1Y2A tr_01J2XQ3Z5K8N7P4R6T9V0W1Y2A", ""},
		{"Chinese", &credentials, "密钥是sk-" + x(30) + "。", "密钥是[redacted]。"},

		{"home", &localPaths, "open /srv/ann/x y", "open [redacted] y"},
		{"with a line", &localPaths, "(/var/ann/a.go:12:5)", "([redacted]:12:5)"},
		{"end of a sentence", &localPaths, "in /etc/passwd. Then", "in [redacted]. Then"},
		{"Windows", &localPaths, `see C:\Users\ann\a.txt, D:/data`, `see [redacted], [redacted]`},
		{"share", &localPaths, `\\server\share\a`, `[redacted]`},
		{"file URL", &localPaths, "file:///data/x", "[redacted]"},
		{"file URL in capitals", &localPaths, "FILE:///home/ann/x File:///data/x", "[redacted] [redacted]"},
		{"Chinese path", &localPaths, "文件/srv/安/图片.png，完成", "文件[redacted]，完成"},
		{"paths of URLs", &localPaths, "https://example.com/srv/a /v1/tools /data/0/etc/x and/or 1/2 ./tmp/x ~/tmp/x", ""},
		{"folder alone", &localPaths, "/srv/ /tmp", ""},
		{"escapes", &localPaths, `a\\nb \d+\s C: x:/ http://x`, ""},

		{"address", &privateAddresses, "at 192.168.1.7:8080, 10.0.0.1 and 127.0.0.1.", "at [redacted], [redacted] and [redacted]."},
		{"public address", &privateAddresses, "8.8.8.8 172.32.0.1 1.10.0.0.1 v10.0.0.1 10.0.0 10.0.0.256 110.0.0.1x", ""},
		{"URL", &privateAddresses, "GET http://10.0.0.1:80/a?b failed", "GET [redacted] failed"},
		{"internal hosts", &privateAddresses, "https://a.b.internal/x, redis://cache:6379 http://[::1]/ https://localhost/", "[redacted], [redacted] [redacted] [redacted]"},
		{"public hosts", &privateAddresses, "https://example.com/10 ftp://a.local.example app://main/x res://10 http://", ""},
		{"localhost", &privateAddresses, "connect localhost:5432 or localhost", "connect [redacted] or localhost"},
		{"localhost in capitals", &privateAddresses, "connect Localhost:5432 or LOCALHOST:80", "connect [redacted] or [redacted]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want == "" {
				want = tt.in
			}
			got := mask(tt.f, tt.in)
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if again := mask(tt.f, got); again != got {
				t.Errorf("masked again: %s", again)
			}
		})
	}
}

func TestRoots(t *testing.T) {
	for _, root := range roots {
		if got := mask(&localPaths, "at /"+root+"x, at /"+root); got != "at [redacted], at /"+root {
			t.Errorf("%s: %s", root, got)
		}
	}
}

// What a mask uncovers is looked at, too.
func TestFindersTogether(t *testing.T) {
	w := &walk{}
	for _, f := range []*finder{&localPaths, &privateAddresses} {
		w.finders = append(w.finders, &rule{find: f, within: ^uint32(0), Rule: Rule{Name: "r"}})
	}
	if got, _ := w.masked([]byte("10.0.0.1/srv/ann")); got != "[redacted][redacted]" {
		t.Errorf("got %s", got)
	}
}

// everywhere looks at each byte, and at what stands before it, as find does by its classes.
func everywhere(f *finder, text []byte) (spans []span) {
	for i := 0; i < len(text); i++ {
		if c := f.classes[text[i]]; c&trigger == 0 && (c&starts == 0 || joined(text, i)) {
			continue
		}
		if start, end := f.at(text, i); start < end {
			spans = append(spans, span{start, end})
			i = max(i, end-1)
		}
	}
	return spans
}

// Passing over the inside of words passes over nothing else.
func TestFindersPassOverWordsOnly(t *testing.T) {
	units := []string{
		"sk-", x(30), "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "http://", "10.0.0.1", `C:\x`, "Bearer ", "?token=", "abcdefgh", "a://b:c@d", "/srv/a", "，b", "e", ".", "_", "-", " ",
		"eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", "localhost:80", "file://", `\\server\x`, "AKIAIOSFODNN7EXAMPLE", "ghp_" + x(36), "basic dXNlcjpwYXNz", "@", ":", "&sig=12345678", "#", "9", "~",
	}
	rng := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 100_000 {
		var text []byte
		for range 1 + rng.IntN(6) {
			text = append(text, units[rng.IntN(len(units))]...)
		}
		for _, f := range []*finder{&credentials, &localPaths, &privateAddresses} {
			got, want := f.find(text, nil), everywhere(f, text)
			if !slices.Equal(got, want) {
				t.Fatalf("%q: %v, want %v", text, got, want)
			}
			found += len(got)
		}
	}
	if found < 10_000 {
		t.Errorf("only %d parts were found", found)
	}
}

// FuzzFinders: a finder stays inside of the text, keeps it valid, and masks nothing twice.
func FuzzFinders(f *testing.F) {
	for _, seed := range []string{"sk-" + x(30), "-----BEGIN PRIVATE KEY-----", "http://10.0.0.1", `C:\x`, "Bearer " + x(20), "?token=abcdefgh", "a://b:c@d", "/srv/a，b"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		text := strings.ToValidUTF8(a+b, "?")
		for _, find := range []*finder{&credentials, &localPaths, &privateAddresses} {
			once := mask(find, text)
			if strings.ToValidUTF8(once, "") != once {
				t.Fatalf("%q became %q", text, once)
			}
			if twice := mask(find, once); twice != once {
				t.Fatalf("%q, then %q, then %q", text, once, twice)
			}
		}
	})
}

// BenchmarkFinders: texts that are again and again the beginning of what is looked for cost no more a byte when
// there are more of them.
func BenchmarkFinders(b *testing.B) {
	for _, unit := range []string{"plain text, ", "http://x", "eyJ-", "-----BEGIN ", "/srv/a", "，/srv/", "basic a:", "://a:", "C:/x", "10.0.0.", "sk-a "} {
		for _, size := range []int{1 << 14, 1 << 18} {
			text := []byte(strings.Repeat(unit, size/len(unit)))
			b.Run(fmt.Sprintf("%q/%d", unit, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					for _, f := range []*finder{&credentials, &localPaths, &privateAddresses} {
						f.find(text, nil)
					}
				}
			})
		}
	}
}
