package policy

import (
	"net/netip"
	"strings"
	"unicode/utf8"
)

// roots are the folders whose names begin an absolute path of a Unix system. Others (/api, /data, /v1) begin a
// path of a URL or a JSON Pointer as well.
var roots = []string{"home/", "Users/", "root/", "var/", "tmp/", "opt/", "etc/", "mnt/", "srv/", "usr/", "private/", "proc/", "run/", "media/", "Volumes/"}

var localPaths = finderOf(`\:`, "/fF", func(text []byte, i int) (int, int) {
	switch text[i] {
	case 'f', 'F':
		if hasPrefixFold(text[i:], "file://") {
			return i, pathEnd(text, i+len("file://"))
		}
	case ':': // C:\Users
		if i > 0 && isLetter(text[i-1]) && !joined(text, i-1) && i+2 < len(text) && (text[i+1] == '\\' || text[i+1] == '/' && text[i+2] > ' ' && text[i+2] != '/') {
			return i - 1, pathEnd(text, i+1)
		}
	case '\\': // \\server\share
		if i+2 < len(text) && text[i+1] == '\\' && isAlnum(text[i+2]) && !joined(text, i) {
			if end := run(text, i+2, isWordDash); end < len(text) && text[end] == '\\' {
				return i, pathEnd(text, end)
			}
		}
	case '/':
		if i > 0 && strings.IndexByte("./~", text[i-1]) >= 0 {
			return 0, 0
		}
		for _, root := range roots {
			if hasPrefix(text[i+1:], root) {
				if end := pathEnd(text, i+1+len(root)); end > i+1+len(root) {
					return i, end
				}
			}
		}
	}
	return 0, 0
})

// joined reports whether what begins at i continues a word.
func joined(text []byte, i int) bool {
	return i > 0 && (isAlnum(text[i-1]) || text[i-1] == '_' || text[i-1] == '-')
}

// pathEnd returns where the path that i stands in ends. A path with white space is cut there: nothing tells
// where it would end else. It looks at no byte behind that end, so that many paths cost no more than their length.
func pathEnd(text []byte, i int) int {
	end := i
	for end < len(text) {
		c := text[end]
		if c < utf8.RuneSelf {
			if c <= ' ' || strings.IndexByte("\"'`<>|*?;,:()[]{}", c) >= 0 {
				break
			}
			end++
			continue
		}
		r, size := utf8.DecodeRune(text[end:])
		if strings.ContainsRune("，。；：）」』】、”’", r) {
			break
		}
		end += size
	}
	for end > i && text[end-1] == '.' {
		end--
	}
	return end
}

// schemes are those under which hosts stand. Others (app://, res://) have names of their own there.
var schemes = []string{
	"http", "https", "ws", "wss", "ftp", "tcp", "udp", "redis", "rediss", "postgres", "postgresql", "mysql", "mongodb",
	"amqp", "amqps", "nats", "smb", "ssh", "grpc", "ldap", "ldaps", "kafka", "memcached",
}

var privateAddresses = finderOf(":", "0123456789lL", func(text []byte, i int) (int, int) {
	switch {
	case text[i] == ':':
		return privateURL(text, i)
	case i > 0 && text[i-1] == '.':
		return 0, 0
	case lower(text[i]) == 'l':
		if end := port(text, i+len("localhost")); hasPrefixFold(text[i:], "localhost:") && end > i+len("localhost:") {
			return i, end
		}
		return 0, 0
	}
	end := run(text, i, func(c byte) bool { return c-'0' <= 9 || c == '.' })
	for end > i && text[end-1] == '.' {
		end--
	}
	if end-i > len("255.255.255.255") || end < len(text) && (isAlnum(text[end]) || text[end] == '-' || text[end] == '_') {
		return 0, 0
	}
	if a, err := netip.ParseAddr(string(text[i:end])); err != nil || !isPrivate(a) {
		return 0, 0
	}
	return i, port(text, end)
})

// port returns where a colon and digits at i end, i when there are none.
func port(text []byte, i int) int {
	if i >= len(text) || text[i] != ':' {
		return i
	}
	if end := run(text, i+1, func(c byte) bool { return c-'0' <= 9 }); end > i+1 {
		return end
	}
	return i
}

// privateURL is the whole of a URL whose host lies in a private network. i is the colon after the scheme.
func privateURL(text []byte, i int) (int, int) {
	if !hasPrefix(text[i:], "://") {
		return 0, 0
	}
	start := i
	for start > 0 && isAlnum(text[start-1]) {
		start--
	}
	known := false
	for _, s := range schemes {
		known = known || len(s) == i-start && hasPrefixFold(text[start:], s)
	}
	if !known {
		return 0, 0
	}
	inURL := func(c byte) bool { return c > ' ' && c < 0x7f && strings.IndexByte("\"'`<>|{}\\^", c) < 0 }
	authority := string(text[i+3 : run(text, i+3, func(c byte) bool { return inURL(c) && strings.IndexByte("/?#", c) < 0 })])
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	}
	if !isPrivateHost(strings.ToLower(strings.TrimRight(authority, ".,;:!?)"))) {
		return 0, 0
	}
	end := run(text, i+3, inURL)
	for end > i+3 && strings.IndexByte(".,;:!?)", text[end-1]) >= 0 {
		end--
	}
	return start, end
}

// isPrivateHost reports whether a host, perhaps with a port, lies in a private network: by its address, or
// by a name that the public does not resolve.
func isPrivateHost(authority string) bool {
	host := authority
	if strings.HasPrefix(host, "[") {
		host, _, _ = strings.Cut(host[1:], "]")
	} else {
		host, _, _ = strings.Cut(host, ":")
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return isPrivate(a)
	}
	if host == "" || strings.IndexFunc(host, func(r rune) bool { return r > 0x7f || !isWordDash(byte(r)) && r != '.' }) >= 0 {
		return false
	}
	dot := strings.LastIndexByte(host, '.')
	if dot < 0 {
		return true // a name without a dot is known in its own network only
	}
	switch host[dot+1:] {
	case "local", "internal", "lan", "corp", "intranet", "localdomain", "localhost":
		return true
	}
	return strings.HasSuffix(host, ".home.arpa")
}

var shared = netip.MustParsePrefix("100.64.0.0/10")

func isPrivate(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || shared.Contains(a)
}
