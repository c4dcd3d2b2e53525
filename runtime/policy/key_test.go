package policy

import "testing"

// matched says whether a member with this name and a text that can be a credential is hidden by default.
func matched(name string) bool {
	word, start := keyOf([]byte(name), credentialKeys)
	return word != "" && isCredential([]byte(name), word, start, []byte("a1b2c3d4e5"))
}

func TestCredentialKeys(t *testing.T) {
	for _, name := range []string{
		"password", "Password", "PASSWORD", "userPassword", "user_password", "user-password", "db.password", "password1", "password_2", "passwd", "passphrase",
		"token", "accessToken", "access_token", "ACCESS_TOKEN", "Refresh-Token", "XSRFToken", "botToken", "token_",
		"secret", "clientSecret", "client_secret", "apiKey", "api_key", "API-KEY", "x-api-key", "APIKey", "OpenAIApiKey", "apikey", "apiKeys",
		"authorization", "Authorization", "proxy-authorization", "cookie", "Set-Cookie", "cookies", "credentials", "private_key", "privateKey",
		"secretAccessKey", "aws_secret_access_key", "signingKey", "connectionString", "密码", "登录密码", "api密钥", "私钥", "令牌",
	} {
		if !matched(name) {
			t.Errorf("%q is not hidden", name)
		}
	}
	for _, name := range []string{
		"", "_", "1", "tokenCount", "token_count", "maxTokens", "max_tokens", "tokens", "totalTokens", "tokenType", "tokenizer", "tokenize",
		"keyboard", "key", "keys", "publicKey", "primaryKey", "foreignKey", "monkey", "hotkey", "accessKeyId", "apiKeyName",
		"nextPageToken", "next_token", "pageToken", "continuationToken", "syncToken", "stopToken", "eosToken", "padToken",
		"secretary", "secretSanta", "passwordResetUrl", "hasPasswordField", "compassword", "cookieConsent", "cookbook", "author", "authorized",
		"mytoken", "subsecret", "credentialType", "密码学", "pwd",
	} {
		if matched(name) {
			t.Errorf("%q is hidden", name)
		}
	}
	for text, want := range map[string]bool{
		"": false, Mask: false, "the": false, "international": false, "tok_abc123": true, "two words 123": false, "abcdefghijklmnopqrstu": true, "a1b2c3d": false,
	} {
		if got := isCredential([]byte("token"), "token", 0, []byte(text)); got != want {
			t.Errorf("a token %q is hidden: %v", text, got)
		}
	}
	if !isCredential([]byte("authToken"), "token", 4, []byte("abcdefgh")) || !isCredential([]byte("password"), "password", 0, []byte("x")) {
		t.Error("short texts under names that leave no doubt stay")
	}
}
