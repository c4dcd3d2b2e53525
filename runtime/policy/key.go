package policy

// credentialKeys are the last words of names under which credentials stand.
var credentialKeys = []string{
	"password", "passwords", "passwd", "passphrase", "passcode", "secret", "secrets", "token", "jwt",
	"apikey", "apikeys", "accesskey", "privatekey", "secretkey", "signingkey", "encryptionkey", "apisecret", "clientsecret",
	"authorization", "cookie", "cookies", "credential", "credentials", "passwordhash", "connectionstring",
	"密码", "口令", "密钥", "私钥", "令牌",
}

// notCredentials are words before token that make it something else.
var notCredentials = map[string]bool{
	"page": true, "next": true, "previous": true, "prev": true, "continuation": true, "sync": true, "cursor": true, "resume": true, "stop": true, "start": true,
	"end": true, "pad": true, "eos": true, "bos": true, "unk": true, "mask": true, "sep": true, "cls": true, "special": true, "per": true, "max": true, "min": true,
}

// keyOf returns which of the words a name ends with, "" for none. start is where the word begins in it.
func keyOf(name []byte, words []string) (word string, start int) {
	end := len(name)
	for end > 0 && (isSeparator(name[end-1]) || name[end-1]-'0' <= 9) {
		end--
	}
	if end == 0 {
		return "", 0
	}
	last := lower(name[end-1])
	for _, w := range words {
		if w[len(w)-1] != last {
			continue
		}
		if at := suffix(name[:end], w); at >= 0 {
			return w, at
		}
	}
	return "", 0
}

// suffix returns where a name begins to be the word, separators aside, -1 when it does not end with it or the
// word begins inside of another one.
func suffix(name []byte, word string) int {
	i := len(name)
	for k := len(word) - 1; k >= 0; k-- {
		for i > 0 && isSeparator(name[i-1]) {
			i--
		}
		if i == 0 || lower(name[i-1]) != word[k] {
			return -1
		}
		i--
	}
	if word[0] >= 0x80 || begins(name, i) {
		return i
	}
	return -1
}

// begins reports whether a word begins at i: at the start, after a separator or a digit, or where the case
// changes as in accessToken and XSRFToken.
func begins(name []byte, i int) bool {
	if i == 0 || !isLetter(name[i-1]) {
		return true
	}
	return isUpper(name[i]) && (!isUpper(name[i-1]) || i+1 < len(name) && !isUpper(name[i+1]))
}

// wordBefore returns the word that ends at i, in lower case.
func wordBefore(name []byte, i int) string {
	for i > 0 && isSeparator(name[i-1]) {
		i--
	}
	end := i
	for i > 0 && isLetter(name[i-1]) {
		i--
		if begins(name[:end], i) {
			break
		}
	}
	word := make([]byte, 0, 16)
	for _, c := range name[i:end] {
		word = append(word, lower(c))
	}
	return string(word)
}

// isCredential reports whether a text can be the credential that its name announces.
func isCredential(name []byte, word string, start int, text []byte) bool {
	if len(text) == 0 || string(text) == Mask {
		return false
	}
	if word != "token" {
		return true
	}
	before := wordBefore(name, start)
	if notCredentials[before] || len(text) < 8 {
		return false
	}
	digit := false
	for _, c := range text {
		if c <= ' ' {
			return false
		}
		digit = digit || c-'0' <= 9
	}
	return before != "" || digit || len(text) > 20
}

func isSeparator(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c == ' ' || c == ':' || c == '/'
}
func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isAlnum(c byte) bool  { return isLetter(c) || c-'0' <= 9 }
func lower(c byte) byte {
	if isUpper(c) {
		return c | 0x20
	}
	return c
}
