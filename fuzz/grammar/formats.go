package grammar

import "sync"

// Format is a format of JSON Schema with the grammar of the text that defines it.
type Format struct {
	Name  string
	Start string // the rule whose strings have the format
	// Made is the rule that strings are made of; a narrower one where the condition would refuse nearly all others.
	// "" means Start.
	Made string
	// Holds is what the text says beside its grammar: the days of a month. nil for nothing.
	Holds func(s string) bool
	// Other are characters that mean something in the format or next to it.
	Other   string
	grammar func() *Grammar
}

// Grammar returns the grammar.
func (f *Format) Grammar() *Grammar { return f.grammar() }

// Has reports whether s has the format.
func (f *Format) Has(s string) bool {
	return f.grammar().Recognise(f.Start, s) && (f.Holds == nil || f.Holds(s))
}

// must parses a grammar of this package when it is first asked for.
func must(source string, prose map[string]Prose) func() *Grammar {
	return sync.OnceValue(func() *Grammar {
		g, err := Parse(source, prose)
		if err != nil {
			panic("grammar: " + err.Error())
		}
		return g
	})
}

// Formats are all formats that draft 2020-12 defines (validation §7.3), in its order.
var Formats = []*Format{
	{Name: "date-time", Start: "date-time", Made: "made-date-time", Holds: dateTimeHolds, Other: "TtZz:.+-0123456789", grammar: times},
	{Name: "date", Start: "full-date", Holds: dateHolds, Other: "-0123456789", grammar: times},
	{Name: "time", Start: "full-time", Made: "made-time", Holds: timeHolds, Other: "Zz:.+-0123456789", grammar: times},
	{Name: "duration", Start: "duration", Other: "PpYyMmWwDdTtHhSs0123456789.,-", grammar: times},
	{Name: "email", Start: "Mailbox", Holds: mailboxHolds, Other: `.@"\[]:-+_ IPv6:`, grammar: mail},
	{Name: "idn-email", Start: "Mailbox", Holds: idnMailboxHolds, Other: `.@"\[]:-+_ IPv6:éüא한中ß`, grammar: idnMail},
	{Name: "hostname", Start: "hname", Made: "made-hname", Holds: hostnameHolds, Other: ".-xn--0123456789abcXN", grammar: names},
	{Name: "idn-hostname", Start: "iname", Made: "made-iname", Holds: idnHostnameHolds, Other: ".-xn--。．｡éüßאב٠۰ل中한·͵׳・\u200c\u200d\u094d\u0301", grammar: names},
	{Name: "ipv4", Start: "IPv4address", Other: ".0123456789", grammar: uris},
	{Name: "ipv6", Start: "IPv6address", Other: ":.0123456789abcdefABCDEF%", grammar: uris},
	{Name: "uri", Start: "URI", Other: "/:?#[]@!$&'()*+,;=%-._~vV0", grammar: uris},
	{Name: "uri-reference", Start: "URI-reference", Other: "/:?#[]@!$&'()*+,;=%-._~vV0", grammar: uris},
	{Name: "iri", Start: "IRI", Other: "/:?#[]@!$&'()*+,;=%-._~é中\ue000\U000f0000", grammar: uris},
	{Name: "iri-reference", Start: "IRI-reference", Other: "/:?#[]@!$&'()*+,;=%-._~é中\ue000\U000f0000", grammar: uris},
	{Name: "uuid", Start: "UUID", Other: "-0123456789abcdefABCDEF", grammar: pointers},
	{Name: "uri-template", Start: "URI-Template", Other: "{}+#./;?&=,!@|:*%_0123456789é", grammar: templates},
	{Name: "json-pointer", Start: "json-pointer", Other: "/~01#", grammar: pointers},
	{Name: "relative-json-pointer", Start: "relative-json-pointer", Other: "/~01#+-23", grammar: pointers},
	{Name: "regex", Start: "Pattern", Made: "made-pattern", Holds: patternHolds, Other: `()[]{}|*+?.^$\-,:=!<>&bBdDsSwWkpPux01289`, grammar: patterns},
}
