package grammar

// uris is RFC 3986 and RFC 3987. It holds the formats ipv4 and ipv6 too: JSON Schema names RFC 2673 §3.2 and RFC
// 4291 §2.2, which say in words, but for leading zeros in dotted quads (docs/deviations.md), what these rules say.
var uris = must(`
; RFC 3986 appendix A
URI           = scheme ":" hier-part [ "?" query ] [ "#" fragment ]
hier-part     = "//" authority path-abempty / path-absolute / path-rootless / path-empty
URI-reference = URI / relative-ref
relative-ref  = relative-part [ "?" query ] [ "#" fragment ]
relative-part = "//" authority path-abempty / path-absolute / path-noscheme / path-empty
scheme        = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
authority     = [ userinfo "@" ] host [ ":" port ]
userinfo      = *( unreserved / pct-encoded / sub-delims / ":" )
host          = IP-literal / IPv4address / reg-name
port          = *DIGIT
IP-literal    = "[" ( IPv6address / IPvFuture  ) "]"
IPvFuture     = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
IPv6address   =                            6( h16 ":" ) ls32
              /                       "::" 5( h16 ":" ) ls32
              / [               h16 ] "::" 4( h16 ":" ) ls32
              / [ *1( h16 ":" ) h16 ] "::" 3( h16 ":" ) ls32
              / [ *2( h16 ":" ) h16 ] "::" 2( h16 ":" ) ls32
              / [ *3( h16 ":" ) h16 ] "::"    h16 ":"   ls32
              / [ *4( h16 ":" ) h16 ] "::"              ls32
              / [ *5( h16 ":" ) h16 ] "::"              h16
              / [ *6( h16 ":" ) h16 ] "::"
h16           = 1*4HEXDIG
ls32          = ( h16 ":" h16 ) / IPv4address
IPv4address   = dec-octet "." dec-octet "." dec-octet "." dec-octet
dec-octet     = DIGIT / %x31-39 DIGIT / "1" 2DIGIT / "2" %x30-34 DIGIT / "25" %x30-35
reg-name      = *( unreserved / pct-encoded / sub-delims )
path-abempty  = *( "/" segment )
path-absolute = "/" [ segment-nz *( "/" segment ) ]
path-noscheme = segment-nz-nc *( "/" segment )
path-rootless = segment-nz *( "/" segment )
path-empty    = ""                               ; 0<pchar>
segment       = *pchar
segment-nz    = 1*pchar
segment-nz-nc = 1*( unreserved / pct-encoded / sub-delims / "@" )
pchar         = unreserved / pct-encoded / sub-delims / ":" / "@"
query         = *( pchar / "/" / "?" )
fragment      = *( pchar / "/" / "?" )
pct-encoded   = "%" HEXDIG HEXDIG
unreserved    = ALPHA / DIGIT / "-" / "." / "_" / "~"
sub-delims    = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="

; RFC 3987 §2.2
IRI            = scheme ":" ihier-part [ "?" iquery ] [ "#" ifragment ]
ihier-part     = "//" iauthority ipath-abempty / ipath-absolute / ipath-rootless / ipath-empty
IRI-reference  = IRI / irelative-ref
irelative-ref  = irelative-part [ "?" iquery ] [ "#" ifragment ]
irelative-part = "//" iauthority ipath-abempty / ipath-absolute / ipath-noscheme / ipath-empty
iauthority     = [ iuserinfo "@" ] ihost [ ":" port ]
iuserinfo      = *( iunreserved / pct-encoded / sub-delims / ":" )
ihost          = IP-literal / IPv4address / ireg-name
ireg-name      = *( iunreserved / pct-encoded / sub-delims )
ipath-abempty  = *( "/" isegment )
ipath-absolute = "/" [ isegment-nz *( "/" isegment ) ]
ipath-noscheme = isegment-nz-nc *( "/" isegment )
ipath-rootless = isegment-nz *( "/" isegment )
ipath-empty    = ""                              ; 0<ipchar>
isegment       = *ipchar
isegment-nz    = 1*ipchar
isegment-nz-nc = 1*( iunreserved / pct-encoded / sub-delims / "@" )
ipchar         = iunreserved / pct-encoded / sub-delims / ":" / "@"
iquery         = *( ipchar / iprivate / "/" / "?" )
ifragment      = *( ipchar / "/" / "?" )
iunreserved    = ALPHA / DIGIT / "-" / "." / "_" / "~" / ucschar
`+unicodeRanges, nil)

// unicodeRanges is RFC 3987 §2.2, which RFC 6570 §1.5 has too.
const unicodeRanges = `
ucschar  = %xA0-D7FF / %xF900-FDCF / %xFDF0-FFEF
         / %x10000-1FFFD / %x20000-2FFFD / %x30000-3FFFD / %x40000-4FFFD / %x50000-5FFFD / %x60000-6FFFD
         / %x70000-7FFFD / %x80000-8FFFD / %x90000-9FFFD / %xA0000-AFFFD / %xB0000-BFFFD / %xC0000-CFFFD
         / %xD0000-DFFFD / %xE1000-EFFFD
iprivate = %xE000-F8FF / %xF0000-FFFFD / %x100000-10FFFD
`

// templates is RFC 6570.
var templates = must(`
; RFC 6570 §2
URI-Template    = *( literals / expression )
; §2.1, with the apostrophe of erratum 6937
literals        = %x21 / %x23-24 / %x26 / %x27 / %x28-3B / %x3D / %x3F-5B / %x5D / %x5F / %x61-7A / %x7E
                / ucschar / iprivate / pct-encoded
; §2.2
expression      = "{" [ operator ] variable-list "}"
operator        = op-level2 / op-level3 / op-reserve
op-level2       = "+" / "#"
op-level3       = "." / "/" / ";" / "?" / "&"
op-reserve      = "=" / "," / "!" / "@" / "|"
; §2.3
variable-list   = varspec *( "," varspec )
varspec         = varname [ modifier-level4 ]
varname         = varchar *( ["."] varchar )
varchar         = ALPHA / DIGIT / "_" / pct-encoded
; §2.4
modifier-level4 = prefix / explode
prefix          = ":" max-length
max-length      = %x31-39 0*3DIGIT
explode         = "*"
; §1.5
pct-encoded     = "%" HEXDIG HEXDIG
`+unicodeRanges, nil)

// pointers is RFC 6901, draft-bhutton-relative-json-pointer-00 and RFC 4122.
var pointers = must(`
; RFC 6901 §3
json-pointer    = *( "/" reference-token )
reference-token = *( unescaped / escaped )
unescaped       = %x00-2E / %x30-7D / %x7F-D7FF / %xE000-10FFFF   ; JSON text holds no surrogates
escaped         = "~" ( "0" / "1" )

; draft-bhutton-relative-json-pointer-00 §3
relative-json-pointer =  non-negative-integer [index-manipulation] json-pointer
relative-json-pointer =/ non-negative-integer "#"
index-manipulation    = ("+" / "-") non-negative-integer
non-negative-integer  = %x30 / %x31-39 *( %x30-39 )

; RFC 4122 §3
UUID                   = time-low "-" time-mid "-" time-high-and-version "-" clock-seq-and-reserved clock-seq-low "-" node
time-low               = 4hexOctet
time-mid               = 2hexOctet
time-high-and-version  = 2hexOctet
clock-seq-and-reserved = hexOctet
clock-seq-low          = hexOctet
node                   = 6hexOctet
hexOctet               = hexDigit hexDigit
hexDigit               = DIGIT / "a" / "b" / "c" / "d" / "e" / "f"   ; of either case, as strings of ABNF are
`, nil)
