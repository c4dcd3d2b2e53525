package policy

import (
	"maps"
	"slices"

	"vcp.core/runtime/result"
)

// whole says what may stand in place of a hidden value.
type whole uint8

const (
	never   whole = iota // nothing else: the protocol fixes the value
	masked               // a string
	null                 // null only
	emptied              // an object without members
	reason               // null, or the object with nothing but its member reason
)

// spot is a place of a canonical result, as the result schema describes it: what may be hidden there.
type spot struct {
	whole   whole
	partial bool    // parts of a string may be masked
	open    bool    // what a tool wrote: names are its own
	members []named // of an object: there are few, and comparing costs less than hashing
	rest    *spot   // other members, or elements
	quiet   bool    // nothing is hidden here or below but by a pattern for places
}

// named is a member of an object and its spot.
type named struct {
	name string
	spot *spot
}

var (
	fixed    = &spot{quiet: true}
	nullable = &spot{whole: null, quiet: true}
	words    = &spot{whole: masked, partial: true}
	media    = &spot{partial: true} // a media type
	free     = func() *spot {
		s := &spot{whole: masked, partial: true, open: true}
		s.rest = s
		return s
	}()
	details = &spot{whole: reason, open: true, rest: free, members: []named{{"reason", fixed}}}
)

// object is a spot of no other members. It is as quiet as the least quiet of them.
func object(w whole, members map[string]*spot) *spot {
	s := &spot{whole: w, quiet: true}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		s.members = append(s.members, named{name, members[name]})
		s.quiet = s.quiet && members[name].quiet
	}
	return s
}

// envelope is the whole result. What it does not name is fixed. A test holds every spot against the schema.
var envelope = object(never, map[string]*spot{
	"tool":      object(never, map[string]*spot{"name": words, "displayName": words, "version": words, "command": words}),
	"execution": object(never, map[string]*spot{"recordId": nullable, "timeoutMs": nullable}),
	"actor":     object(null, map[string]*spot{"type": words, "id": words, "name": words, "maid": words}),
	"origin":    object(never, map[string]*spot{"source": words, "nodeId": words, "serverId": words, "requestIp": words}),
	"data":      free,
	"resources": {rest: object(never, map[string]*spot{
		"mimeType": media, "fileName": words, "url": {whole: null, partial: true}, "dimensions": nullable, "durationMs": nullable,
		"sizeBytes": nullable, "sha256": nullable, "metadata": {whole: emptied, open: true, rest: free},
		"source": object(null, map[string]*spot{"type": words, "provider": words}),
	})},
	"warnings": {rest: object(never, map[string]*spot{
		"message": words, "target": words, "details": {whole: null, open: true, rest: free},
	})},
	"error": object(never, map[string]*spot{
		"message": words, "target": words, "details": details,
		"cause": object(null, map[string]*spot{"code": words, "message": words}),
	}),
	"task":         object(never, map[string]*spot{"progress": nullable, "pollAfterMs": nullable, "placeholder": nullable}),
	"presentation": object(null, map[string]*spot{"summary": words, "title": words, "preferredView": nullable, "primaryResourceId": nullable}),
	"aiAdvice":     object(null, map[string]*spot{"message": words, "renderHint": nullable}),
	"extensions":   {whole: emptied, rest: free},
})

// tops are the spots of the top-level members.
var tops = func() (list [result.Extensions + 1]*spot) {
	for m := range list {
		list[m] = envelope.below([]byte(result.Member(m).String()))
	}
	return list
}()

// below returns the spot of a member or an element.
func (s *spot) below(name []byte) *spot {
	for i := range s.members {
		if s.members[i].name == string(name) {
			return s.members[i].spot
		}
	}
	if s.rest != nil {
		return s.rest
	}
	return fixed
}

// spotOf follows a pattern without wildcards; exact is false for one with wildcards.
func spotOf(tokens []string) (s *spot, exact bool) {
	s = envelope
	for _, t := range tokens {
		if t == "*" || t == "**" {
			return s, false
		}
		s = s.below([]byte(t))
	}
	return s, true
}
