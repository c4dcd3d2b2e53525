// Package token knows who may come in at a door: bearer tokens with a name and scopes, kept in one file as hashes.
//
// A token is "vcp_ID_SECRET". The ID finds its entry, the SHA-256 of the whole token proves it; the token itself is
// shown once, by [File.Create] or [File.Lend], and is kept nowhere. 32 random bytes need no slow hash.
//
// The file is looked at again for every token that is not known, so one that another process made counts at the next
// request; for a known one at least every [Lag]. The package never speaks HTTP, and logs nothing.
package token

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Scopes that doors ask for. Others are those of manifests, which a command may ask for by its own words.
const (
	Call        = "call"         // call commands, see the tools
	ResultsRead = "results:read" // read the results and resources of its own calls
	ResultsAll  = "results:all"  // and of everybody's
	AuditRead   = "audit:read"   // read the audit records
	MetricsRead = "metrics:read" // read the metrics
	Admin       = "admin"        // everything, commands for administrators as well
)

// Scopes are all of these.
func Scopes() []string { return []string{Call, ResultsRead, ResultsAll, AuditRead, MetricsRead, Admin} }

// Token is who a bearer is.
type Token struct {
	ID      string
	Name    string
	Scopes  []string // not to be changed: all that ask for the token share them
	Created time.Time

	actor string // its ActorID, made once for all requests
}

// Has reports whether the token has a scope.
func (t *Token) Has(scope string) bool {
	return slices.Contains(t.Scopes, scope) || slices.Contains(t.Scopes, Admin)
}

// Sees reports whether the token may read what an actor of this id did.
func (t *Token) Sees(actor string) bool {
	return t.Has(ResultsAll) || t.Has(ResultsRead) && actor == t.ActorID()
}

// ActorID is the id of the actor that the token's calls have. A name that was revoked and given again is another actor.
func (t *Token) ActorID() string {
	if t.actor == "" {
		return "token:" + t.ID
	}
	return t.actor
}

// entry is a token as it is kept.
type entry struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Scopes  []string  `json:"scopes"`
	Created time.Time `json:"created"`
	SHA256  string    `json:"sha256"`

	proof []byte // the text of SHA256, for comparing
	made  Token
}

// prepare makes once what every request would need anew.
func (e *entry) prepare() {
	e.proof, e.made = []byte(e.SHA256), e.token()
}

func (e *entry) token() Token {
	t := Token{ID: e.ID, Name: e.Name, Scopes: slices.Clone(e.Scopes), Created: e.Created}
	t.actor = t.ActorID()
	return t
}

// NameError says that a name cannot be a token's.
type NameError struct{ Name, Problem string }

// taken is the problem of a name that another token has.
const taken = "is taken"

// Taken says that the name is another token's, and would do otherwise.
func (e *NameError) Taken() bool { return e.Problem == taken }

// Error says it in a sentence.
func (e *NameError) Error() string { return fmt.Sprintf("the name %q %s", e.Name, e.Problem) }

// ScopeError says that a word cannot be a scope.
type ScopeError struct{ Scope string }

// Error says it in a sentence.
func (e *ScopeError) Error() string {
	return fmt.Sprintf("%q is no scope: letters, digits and _ - . : are, 64 at most", e.Scope)
}

// UnknownError says that there is no such token.
type UnknownError struct{ Name string }

// Error says it in a sentence.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no token of the name or id %q", e.Name)
}

var (
	names  = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}_.@ -]{0,63}$`)
	scopes = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$`)
)

const (
	prefix      = "vcp_"
	idBytes     = 6
	secretBytes = 32
)

// mint makes a token and its entry.
func mint(name string, granted []string, now time.Time) (text string, e entry) {
	var raw [idBytes + secretBytes]byte
	_, _ = rand.Read(raw[:]) // never fails
	e = entry{ID: hex.EncodeToString(raw[:idBytes]), Name: name, Scopes: granted, Created: now.UTC().Truncate(time.Second)}
	text = prefix + e.ID + "_" + base64.RawURLEncoding.EncodeToString(raw[idBytes:])
	sum := hash(text)
	e.SHA256 = string(sum[:])
	e.prepare()
	return text, e
}

// hash is the SHA-256 of a text, in hexadecimal digits.
func hash(text string) (digits [2 * sha256.Size]byte) {
	var room [longest]byte
	sum := sha256.Sum256(append(room[:0], text...))
	hex.Encode(digits[:], sum[:])
	return digits
}

// longest is more than a token has bytes.
const longest = 128

// find returns the entry that a text proves. How long it takes tells nothing about the secret: both hashes are whole
// when they are compared, and that an id exists is no secret.
func find(list []entry, text string) (Token, bool) {
	rest, ok := strings.CutPrefix(text, prefix)
	id, _, whole := strings.Cut(rest, "_")
	if !ok || !whole || len(text) > longest {
		return Token{}, false
	}
	given := hash(text)
	for i := range list {
		if list[i].ID == id {
			if subtle.ConstantTimeCompare(given[:], list[i].proof) == 1 {
				return list[i].made, true
			}
			return Token{}, false
		}
	}
	return Token{}, false
}
