//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shellPlugin writes plugins/Shell, whose only command runs a script of the shell, and goes to the folder.
func shellPlugin(t *testing.T, script, input, output string, more string) {
	t.Helper()
	argv, err := json.Marshal([]string{"sh", "-c", script})
	if err != nil {
		t.Fatal(err)
	}
	manifest := fmt.Sprintf(`{"name":"Shell","version":"1.0.0","description":"Runs a script.","pluginType":"synchronous","entryPoint":{"argv":%s},
		"communication":{"protocol":"stdio"%s},"toolResultProtocol":{"name":"vcp.tool-result","version":"1.0"},
		"capabilities":{"invocationCommands":[{"commandIdentifier":"Run","description":"Runs it.","effect":"read",
		"inputSchema":%s,"outputSchema":%s,"errorCodes":["UPSTREAM_ERROR"]}]}}`, argv, more, input, output)
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("plugins/Shell", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("plugins/Shell/plugin-manifest.json", []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
}

// answering is a script that reads its call and writes a frame.
func answering(payload string) string {
	return "cat > call.json; printf '%s\\n' '" + `{"vcp":"tool-result","version":"1.0","payload":` + payload + "}'"
}

func success(data string) string {
	return `{"status":"success","data":` + data + `,"resources":[],"warnings":[],"extensions":{}}`
}

// vcp runs the program and returns its exit code and what it wrote.
func vcp(args ...string) (code int, out, words string) {
	var stdout, stderr bytes.Buffer
	code = run(args, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// views are all that a result can be shown as.
var views = []string{"canonical", "human", "ai", "bridge", "audit"}

// K00 and K01: digits of arguments and data are the same at every exit: in the frame, in each view of a call, in the
// file that keeps it, and in each view of the file.
func TestDigitsAtEveryExit(t *testing.T) {
	const digits = "9007199254740993"
	shellPlugin(t, answering(success(`{"id":`+digits+`}`)), `{"type":"object","properties":{"n":{"type":"integer"}}}`, `{"type":"object","properties":{"id":{"type":"integer"}}}`, "")
	_, kept, words := vcp("call", "Shell.Run", "--args", `{"n":`+digits+`}`)
	if err := os.WriteFile("result.json", []byte(kept), 0o600); err != nil {
		t.Fatal(err)
	}
	call, err := os.ReadFile(filepath.Join("plugins", "Shell", "call.json"))
	if err != nil || !strings.Contains(string(call), `"n":`+digits) {
		t.Errorf("%v: the plugin was asked %s%s", err, call, words)
	}
	for _, view := range views {
		for _, args := range [][]string{{"call", "Shell.Run", "--view", view}, {"render", "result.json", "--view", view}} {
			code, out, words := vcp(args...)
			if code != 0 || words != "" || strings.Contains(out, digits) != (view != "audit") || strings.Contains(out, "9007199254740992") {
				t.Errorf("vcp %v: exit %d\n%s%s", args, code, out, words)
			}
		}
	}
	if _, again, _ := vcp("render", "result.json", "--view", "canonical"); again != kept {
		t.Errorf("kept\n%sshown\n%s", kept, again)
	}
}

// K06: the line that a library printed is quoted, and the plugin named, to whoever looks.
func TestBannerIsTold(t *testing.T) {
	shellPlugin(t, "echo '◇ injected env (11) from config.env'\n"+answering(success("1")), `{"type":"object"}`, `{}`, "")
	for _, view := range []string{"canonical", "human", "ai", "bridge"} {
		code, out, _ := vcp("call", "Shell.Run", "--view", view)
		if code != exitFindings || !strings.Contains(out, "INVALID_TOOL_RESULT") || !strings.Contains(out, "the plugin Shell wrote a line that is no frame") || !strings.Contains(out, "◇ injected env (11) from config.env") {
			t.Errorf("%s: exit %d\n%s", view, code, out)
		}
	}
}

// K21 and K30: what is wrong with a result or with arguments is told with its place, also to a model.
func TestWrongValuesAreExplained(t *testing.T) {
	shellPlugin(t, answering(success(`"done"`)), `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`, `{"type":"object"}`, "")
	for arguments, want := range map[string][]string{
		`{"n":1}`:   {"INVALID_TOOL_RESULT", "/data", "object"},
		`{"n":"x"}`: {"INVALID_ARGUMENT", "/n", "integer"},
		`{}`:        {"MISSING_ARGUMENT", "/n", `\"n\" is missing`},
	} {
		for _, view := range []string{"canonical", "ai"} {
			code, out, _ := vcp("call", "Shell.Run", "--args", arguments, "--view", view)
			for _, w := range want {
				if view == "ai" {
					w = strings.ReplaceAll(w, `\"`, `"`)
				}
				if code != exitFindings || !strings.Contains(out, w) {
					t.Errorf("%s, %s: exit %d, no %s in\n%s", arguments, view, code, w, out)
				}
			}
		}
	}
}

// K31 and K32: one level of JSON, and angles as they are, through the frame and out again.
func TestTextIsNotEncodedAgain(t *testing.T) {
	const data = `{"object":{"n":1},"text":"{\"still\":\"a string\"}","html":"<b>&</b>"}`
	shellPlugin(t, answering(success(data)), `{"type":"object"}`, `{}`, "")
	for _, view := range views {
		_, out, _ := vcp("call", "Shell.Run", "--view", view)
		switch view {
		case "ai":
			if !strings.Contains(out, `- text: {"still":"a string"}`) || !strings.Contains(out, "<b>&</b>") {
				t.Errorf("ai: %s", out)
			}
		case "audit":
			if strings.Contains(out, "still") {
				t.Errorf("audit: %s", out)
			}
		default:
			if !strings.Contains(out, `"data":`+data) {
				t.Errorf("%s: %s", view, out)
			}
		}
	}
}

// K48 and K49: a credential of the call, in the message of a failure, its details, its cause and on standard error,
// is in no view, in nothing that the program says, and in no file that it keeps.
func TestCredentialsAreNotRepeated(t *testing.T) {
	const key = "sk_live_SECRET_4711"
	payload := `{"status":"error","data":{"token":"` + key + `"},"resources":[],"warnings":[{"code":"A.B","message":"` + key + `"}],"error":{"code":"UPSTREAM_ERROR","message":"Invalid key ` + key +
		`","details":{"stderr":"` + key + `"},"cause":{"message":"` + key + `"}},"extensions":{}}`
	shellPlugin(t, "cat > /dev/null; echo 'curl: "+key+"' >&2\n"+strings.TrimPrefix(answering(payload), "cat > call.json; ")+"\nexit 3",
		`{"type":"object","properties":{"api_key":{"type":"string","writeOnly":true}}}`, `{}`, "")
	for _, view := range views {
		code, out, words := vcp("call", "Shell.Run", "--args", `{"api_key":"`+key+`"}`, "--view", view)
		if code != exitFindings || strings.Contains(out+words, key) {
			t.Errorf("%s: exit %d\n%s%s", view, code, out, words)
		}
		if view == "canonical" {
			for _, want := range []string{`"message":"Invalid key [redacted]"`, `"rule":"secret","target":"/error/message"`, `"target":"/error/details/stderr"`, `"target":"/data/token"`, `"code":"NONZERO_EXIT"`} {
				if !strings.Contains(out, want) {
					t.Errorf("no %s in %s", want, out)
				}
			}
		}
	}
	shellPlugin(t, "cat > /dev/null; echo 'curl: "+key+"' >&2; echo "+key+"; exit 3", `{"type":"object","properties":{"api_key":{"type":"string","writeOnly":true}}}`, `{}`, "")
	code, out, words := vcp("call", "Shell.Run", "--args", `{"api_key":"`+key+`"}`)
	if code != exitFindings || strings.Contains(out+words, key) || !strings.Contains(words, "curl: [redacted]") || !strings.Contains(out, `"quote":"[redacted]"`) {
		t.Errorf("exit %d\n%s%s", code, out, words)
	}
	err := filepath.WalkDir(".", func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "plugin-manifest.json" {
			return err
		}
		text, err := os.ReadFile(name)
		if strings.Contains(string(text), key) {
			t.Errorf("%s keeps it", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
