package grammar

import "strings"

const mailbox = `
; RFC 5321 §4.1.2
Mailbox         = Local-part "@" ( Domain / address-literal )
Local-part      = Dot-string / Quoted-string
Dot-string      = Atom *("."  Atom)
Atom            = 1*atext
Quoted-string   = DQUOTE *QcontentSMTP DQUOTE
QcontentSMTP    = qtextSMTP / quoted-pairSMTP
quoted-pairSMTP = %d92 %d32-126
qtextSMTP       = %d32-33 / %d35-91 / %d93-126
Domain          = sub-domain *("." sub-domain)
sub-domain      = Let-dig [Ldh-str]
Let-dig         = ALPHA / DIGIT
Ldh-str         = *( ALPHA / DIGIT / "-" ) Let-dig
address-literal = "[" ( IPv4-address-literal / IPv6-address-literal / General-address-literal ) "]"

; §4.1.3
IPv4-address-literal    = Snum 3("."  Snum)
IPv6-address-literal    = "IPv6:" IPv6-addr
General-address-literal = Standardized-tag ":" 1*dcontent
Standardized-tag        = Ldh-str                       ; registered with IANA: see standardized in mailboxHolds
dcontent                = %d33-90 / %d94-126
Snum                    = dec-octet                     ; 1*3DIGIT, 0 through 255, less the leading zeros (docs/deviations.md)
IPv6-addr               = IPv6-full / IPv6-comp / IPv6v4-full / IPv6v4-comp
IPv6-hex                = 1*4HEXDIG
IPv6-full               = IPv6-hex 7(":" IPv6-hex)
IPv6-comp               = [IPv6-hex *5(":" IPv6-hex)] "::" [IPv6-hex *5(":" IPv6-hex)]
IPv6v4-full             = IPv6-hex 5(":" IPv6-hex) ":" IPv4-address-literal
IPv6v4-comp             = [IPv6-hex *3(":" IPv6-hex)] "::" [IPv6-hex *3(":" IPv6-hex) ":"] IPv4-address-literal

; RFC 3986 §3.2.2
dec-octet               = DIGIT / %x31-39 DIGIT / "1" 2DIGIT / "2" %x30-34 DIGIT / "25" %x30-35

; RFC 5322 §3.2.3
atext = ALPHA / DIGIT / "!" / "#" / "$" / "%" / "&" / "'" / "*" / "+" / "-" / "/" / "=" / "?" / "^" / "_" / "` + "`" + `" / "{" / "|" / "}" / "~"
`

var mail = must(mailbox, nil)

// idnMail is the mailbox with what RFC 6531 §3.3 adds.
var idnMail = must(mailbox+`
; RFC 6531 §3.3
sub-domain =/ <U-label>
atext      =/ UTF8-non-ascii
qtextSMTP  =/ UTF8-non-ascii
; RFC 6532 §3.1, RFC 3629 §4
UTF8-non-ascii = %x80-7FF / %x800-D7FF / %xE000-FFFF / %x10000-10FFFF
`, map[string]Prose{"U-label": {Is: func(s []rune) bool { return isULabel(s, anyForm) }, Make: makeULabel}})

// mailboxHolds is what RFC 5321 §4.1.3 says about address literals in comments: groups beside a "::", and that a
// tag is registered. IPv6 is, and so never an unknown tag; others may be one day.
func mailboxHolds(s string) bool { return literalHolds(domainOf(mail(), s)) }

// literalHolds is that for what follows the "@".
func literalHolds(literal string) bool {
	if !strings.HasPrefix(literal, "[") {
		return true
	}
	literal = literal[1 : len(literal)-1]
	tag, address, tagged := strings.Cut(literal, ":")
	if !tagged || !strings.EqualFold(tag, "IPv6") {
		return true
	}
	if !mail().Recognise("IPv6-addr", address) {
		return false
	}
	before, after, compressed := strings.Cut(address, "::")
	if !compressed {
		return true
	}
	groups := 0
	for _, side := range []string{before, after} {
		if side == "" {
			continue
		}
		for group := range strings.SplitSeq(side, ":") {
			if strings.Contains(group, ".") {
				groups++ // an IPv4 address stands for two
			}
			groups++
		}
	}
	return groups <= 6
}

// idnMailboxHolds: as for a mailbox, and a domain with a right-to-left label obeys the Bidi rule (RFC 5893 §2).
func idnMailboxHolds(s string) bool {
	domain := domainOf(idnMail(), s)
	if strings.HasPrefix(domain, "[") {
		return literalHolds(domain)
	}
	var labels [][]rune
	for label := range strings.SplitSeq(domain, ".") {
		labels = append(labels, []rune(label))
	}
	return isASCII([]rune(domain)) || bidiHolds(labels)
}

// domainOf returns what follows the "@" that ends the local part: others may stand in quotes or in a literal.
func domainOf(g *Grammar, mailbox string) string {
	for at, r := range mailbox {
		if r == '@' && g.Recognise("Local-part", mailbox[:at]) {
			return mailbox[at+1:]
		}
	}
	return ""
}
