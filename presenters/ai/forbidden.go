package ai

import "strings"

// roles are names under which messages stand in a conversation. A line that begins with one and a colon, or
// that holds a mark of a chat template, forges a message.
var roles = []string{"system", "assistant", "user", "developer", "tool", "human", "ai", "系统", "助手", "用户", "开发者"}

var templates = []string{"<|", "|>", "[inst]", "[/inst]", "<<sys>>", "<</sys>>", "### system", "### instruction", "### user", "### assistant", "begin_of_text", "「始」", "「末」", "[tool_request", "tool_name:"}

func forgesRole(line string) bool {
	s := folded(line)
	for _, mark := range templates {
		if strings.Contains(s, mark) {
			return true
		}
	}
	s = strings.TrimLeft(s, " \t#>*_-[(【`\"'")
	for _, role := range roles {
		rest, ok := strings.CutPrefix(s, role)
		if !ok {
			continue
		}
		rest = strings.TrimLeft(rest, " \t*_])】`\"'")
		if strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "：") {
			return true
		}
	}
	return false
}

// beyond are pairs of words. A sentence with one of the first and one of the second asks for more than a form
// of delivery: to disregard what ranks above advice, to call tools, to change settings, to tell what is hidden.
var beyond = []struct{ verbs, things []string }{
	{
		[]string{"ignore", "disregard", "forget", "override", "bypass", "无视", "忽略", "忘记", "忘掉", "绕过", "不要遵守", "不要理会", "覆盖"},
		[]string{"instruction", "prompt", "previous", "above", "rule", "polic", "system", "safety", "guideline", "context", "指令", "提示", "规则", "策略", "之前", "以上", "系统", "安全", "限制", "上下文", "用户"},
	},
	{
		[]string{"reveal", "print", "show", "output", "repeat", "leak", "disclose", "send", "泄露", "输出", "打印", "显示", "透露", "发送", "告诉"},
		[]string{"system prompt", "hidden", "secret", "password", "api key", "apikey", "api_key", "credential", "token", "系统提示", "隐藏", "密钥", "密码", "凭证", "口令"},
	},
	{
		[]string{"call ", "invoke", "execute", "run ", "use the", "调用", "执行", "运行"},
		[]string{"tool", "plugin", "function", "command", "shell", "工具", "插件", "函数", "命令"},
	},
	{
		[]string{"change", "modify", "edit", "set ", "disable", "enable", "update", "修改", "更改", "关闭", "禁用", "启用"},
		[]string{"config", "setting", "permission", "policy", "配置", "设置", "权限"},
	},
}

// never are words that no advice has a use for: schemes that run or read something, and folders of a machine.
var never = []string{
	"javascript:", "vbscript:", "data:", "file:", "http://", "https://", "www.", "](", "pw=", "you are now", "jailbreak", "你现在是", "从现在起你",
	`:\`, `\\`, "onerror=", "onload=",
}

// folders are the first folders of paths on a machine.
var folders = []string{"etc", "home", "root", "var", "tmp", "users", "usr", "opt"}

// forbidden reports whether a sentence says what advice must not say. It looks for words, so it errs to both
// sides: an advice is a courtesy and may lose a harmless sentence, and a model is told anyway that advice ranks
// below everything else.
func forbidden(sentence string) bool {
	s := folded(sentence)
	if containsAny(s, never) {
		return true
	}
	for _, folder := range folders {
		if strings.Contains(s, "/"+folder+"/") {
			return true
		}
	}
	for _, pair := range beyond {
		if containsAny(s, pair.verbs) && containsAny(s, pair.things) {
			return true
		}
	}
	return false
}

func containsAny(s string, list []string) bool {
	for _, word := range list {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}

// folded is a text as words are looked for in it: lower case, full-width letters narrow, characters dropped
// that nobody sees, ends of lines are spaces, spaces single.
func folded(s string) string {
	var b strings.Builder
	space := false
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 0xff01 && r <= 0xff5e:
			r -= 0xff01 - '!'
		case r == 0x3000 || r == 0xa0 || r == '\n' || r == '\t':
			r = ' '
		case r >= 0x200b && r <= 0x200f, r == 0x2060, r == 0xad, unseen(r):
			continue
		}
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		if r == ' ' && space {
			continue
		}
		space = r == ' '
		b.WriteRune(r)
	}
	return b.String()
}
