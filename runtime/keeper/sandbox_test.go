//go:build linux && (amd64 || arm64)

package keeper_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vcp.core/runtime/keeper"
	"vcp.core/runtime/transport/process"
)

// landlock skips a test where the kernel has none.
func landlock(t *testing.T, k *keeper.Keeper, version int) {
	t.Helper()
	state, err := k.State()
	if err != nil {
		t.Fatal(err)
	}
	if state.Landlock < version {
		t.Skipf("the kernel's Landlock is version %d, not %d", state.Landlock, version)
	}
}

// A plugin reads what it needs and nothing of the user's, and writes in its data folder and nowhere else.
func TestSandbox(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, k *keeper.Keeper) {
		landlock(t, k, 3)
		c := shell(t, "")
		own := filepath.Join(c.Dir, "own")
		if err := os.WriteFile(own, []byte("own"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(secret, filepath.Join(c.Data, "link")); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			script string
			want   string // the end of what is written
		}{
			{"cat own", "own"},
			{"cat " + secret, "Permission denied\n"},
			{"ls " + outside, "Permission denied\n"},
			{"cat $DATA/link", "Permission denied\n"},
			{"ln " + secret + " $DATA/hard", "Invalid cross-device link\n"},
			{"ls /root /home 2>&1 | grep -c denied", "2\n"},
			{"sh -c '/bin/echo x > own'", "Permission denied\n"},
			{"rm own", "Permission denied\n"},
			{"sh -c ': > new'", "Permission denied\n"},
			{"sh -c ': > " + outside + "/new'", "Permission denied\n"},
			{"sh -c ': > " + filepath.Join(os.TempDir(), "vcp-new") + "'", "Permission denied\n"},
			{"cd $DATA && mkdir -p a/b && echo text > a/b/c && mv a/b/c a/d && : > a/d && rm -r a && ls", "link\ntmp\n"},
			{"f=$(mktemp) && echo t > $f && cat $f && rm $f", "t\n"},
			{"echo x > /dev/null && head -c 2 /dev/urandom | wc -c", "2\n"},
			{"wc -l < /etc/passwd > /dev/null && cat /proc/self/comm", "cat\n"},
			{"grep NoNewPrivs /proc/self/status", "1\n"},
			{"ulimit -c", "0\n"},
		} {
			c.Argv[2] = tt.script
			c.Env = append(c.Env, "DATA="+c.Data)
			if out, _ := output(t, k, c); !strings.HasSuffix(out, tt.want) {
				t.Errorf("%s: %q, want %q", tt.script, out, tt.want)
			}
		}
		if text, err := os.ReadFile(secret); string(text) != "secret" || err != nil {
			t.Errorf("the secret is %q, %v", text, err)
		}
	})
}

// What an operator allows beyond that is allowed, and a folder that is made anew is the same folder.
func TestSandboxIsWidened(t *testing.T) {
	read, write := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(read, "text"), []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	wide := func(tool string) keeper.Profile {
		p := keeper.Default()
		if tool == "Wide" {
			p.Read, p.Write = []string{read, "/no/such/folder", "relative"}, []string{write}
		}
		return p
	}
	each(t, func(t *testing.T, k *keeper.Keeper) {
		landlock(t, k, 1)
		c := shell(t, fmt.Sprintf("cat %s/text && echo new > %s/text && cat %[2]s/text; sh -c ': > %[1]s/text'; echo; cd $DATA && echo data > x && cat x", read, write))
		c.Env = append(c.Env, "DATA="+c.Data)
		for _, anew := range [][]string{{read, write}, {c.Data}, nil} {
			c.Tool = "Wide"
			if out, _ := output(t, k, c); !strings.HasPrefix(out, "textnew\n\ndata\n") || !strings.Contains(out, "Permission denied") {
				t.Errorf("%q", out)
			}
			c.Tool = "Narrow"
			if out, _ := output(t, k, c); !strings.HasPrefix(out, "\ndata\n") {
				t.Errorf("%q", out)
			}
			for _, dir := range anew {
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(read, "text"), []byte("text"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}, keeper.Profiles(wide))
}

// Without a sandbox nothing is taken away.
func TestNoSandbox(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	each(t, func(t *testing.T, k *keeper.Keeper) {
		c := shell(t, "echo x > "+file+" && cat "+file+" && grep -E 'NoNewPrivs' /proc/self/status; echo $TMPDIR; ulimit -n")
		if out, _ := output(t, k, c); out != "x\nNoNewPrivs:\t0\n\n1024\n" {
			t.Errorf("%q", out)
		}
	}, keeper.Profiles(free))
}

// Processes of others are out of reach: the runtime's, the keeper's, another plugin's. The plugin only asks whether it might
// send a signal (kill -0): if it might, nobody must come to harm for it.
func TestSandboxAndOthers(t *testing.T) {
	each(t, func(t *testing.T, k *keeper.Keeper) {
		landlock(t, k, 6)
		word := mark(t)
		other := start(t, k, shell(t, "sleep 60; :", word))
		until(t, "another", func() bool { return len(marked(word)) > 0 })
		script := `for p in /proc/[0-9]*; do p=${p#/proc/}; [ $p = $$ ] || kill -0 $p 2>/dev/null && [ $p != $$ ] && echo $p; done
			cat /proc/$PPID/environ > /dev/null; sleep 60 & kill $!; wait $!; echo $?`
		out, _ := output(t, k, shell(t, script))
		if !strings.HasPrefix(out, "143\n") || !strings.Contains(out, "denied") {
			t.Errorf("%q", out)
		}
		other.Kill()
		if _, err := other.end(); err != nil {
			t.Error(err)
		}
	})
}

// Node, Python and Go programs find what they need.
func TestPrograms(t *testing.T) {
	each(t, func(t *testing.T, k *keeper.Keeper) {
		scripts := map[string]string{
			"x.js": `#!/usr/bin/env node
const fs=require('fs'), os=require('os'), path=require('path'), cp=require('child_process');
const f=path.join(fs.mkdtempSync(path.join(os.tmpdir(),'a')),'b'); fs.writeFileSync(f,'w'); require('crypto').randomBytes(8); require('https');
if (cp.execFileSync('/bin/echo',['y']).toString()!='y\n') throw 1;
require('dns').lookup('localhost',(e)=>{ if (e) throw e; let w=new (require('worker_threads').Worker)('require("worker_threads").parentPort.postMessage(1)',{eval:true}); w.on('message',()=>console.log('fine')) })
`,
			"x.py": `#!/usr/bin/env python3
import sys, os, tempfile, json, ssl, socket, subprocess, threading, sqlite3, random, urllib.request
tempfile.TemporaryFile().write(b"x"); ssl.create_default_context(); socket.getaddrinfo("localhost", 80)
assert subprocess.check_output(["/bin/echo", "y"]) == b"y\n"
sqlite3.connect(os.path.join(os.environ["VCP_PLUGIN_DATA"], "db")).execute("create table if not exists t(x)")
print("fine")
`,
		}
		for name, text := range scripts {
			interpreter := map[string]string{"x.js": "node", "x.py": "python3"}[name]
			file, err := exec.LookPath(interpreter)
			if err != nil {
				t.Logf("%s is not here: %v", interpreter, err)
				continue
			}
			home, _ := os.UserHomeDir()
			for _, way := range []string{"by its interpreter", "by its first line"} {
				c := shell(t, "")
				c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8", process.DataVariable + "=" + c.Data}
				c.File, c.Argv = file, []string{interpreter, name}
				if way == "by its first line" {
					c.File, c.Argv = filepath.Join(c.Dir, name), []string{name}
				}
				if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
				if out, e := output(t, k, c); out != "fine\n" || e.Failed() {
					t.Errorf("%s %s: %v, %s", name, way, e, out)
				}
			}
		}
	})
}

func TestLimits(t *testing.T) {
	profiles := map[string]keeper.Profile{
		"files": {Files: 64}, "size": {FileSize: 1 << 20}, "memory": {Memory: 1 << 30}, "cpu": {CPU: time.Second}, "too much": {Files: 1 << 40, Memory: 1 << 60},
	}
	each(t, func(t *testing.T, k *keeper.Keeper) {
		for tool, tt := range map[string]struct {
			script, out string
			signal      string
		}{
			"files":    {"ulimit -n; ulimit -Hn", "64\n64\n", ""},
			"size":     {"exec head -c 2000000 /dev/zero > $DATA/big", "", "SIGXFSZ"},
			"memory":   {"ulimit -v", "1048576\n", ""},
			"cpu":      {"while :; do :; done", "", "SIGXCPU"},
			"too much": {"echo runs", "runs\n", ""},
		} {
			c := shell(t, tt.script)
			c.Tool = tool
			c.Env = append(c.Env, "DATA="+c.Data)
			if out, e := output(t, k, c); out != tt.out || e.Signal != tt.signal {
				t.Errorf("%s: %q, %v", tool, out, e)
			}
		}
	}, keeper.Profiles(func(tool string) keeper.Profile { return profiles[tool] }))
}

// TCP may be switched off.
func TestNoTCP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip(err)
	}
	profiles := map[string]keeper.Profile{"Open": keeper.Default(), "Shut": {Sandbox: true, NoTCP: true}}
	each(t, func(t *testing.T, k *keeper.Keeper) {
		landlock(t, k, 4)
		for tool, want := range map[string]string{"Open": "open\n", "Shut": "EACCES\n"} {
			c := shell(t, "")
			c.Tool, c.File = tool, node
			c.Argv = []string{"node", "-e", fmt.Sprintf(`require("net").connect(%d).on("error",e=>{console.log(e.code);process.exit()}).on("connect",()=>{console.log("open");process.exit()})`, l.Addr().(*net.TCPAddr).Port)}
			if out, _ := output(t, k, c); out != want {
				t.Errorf("%s: %q", tool, out)
			}
		}
	}, keeper.Profiles(func(tool string) keeper.Profile { return profiles[tool] }))
}

// A bomb of processes is held by its limit, and ended. Root has no such limit, so somebody else plays it.
func TestForkBomb(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can play somebody else")
	}
	word := mark(t)
	cmd := exec.Command(public(t), role+"bomber", word)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody - 7, Gid: nobody}}
	cmd.Dir = "/"
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	gone(t, word)
	var n int // beside the threads of the keeper and of the runtime, which are the user's as well
	if _, err := fmt.Sscanf(string(out), "%d processes, and then: ", &n); err != nil || n < 2 || n > 64 || !bytes.Contains(out, []byte("fork")) {
		t.Errorf("%s", out)
	}
}

// bomber runs a fork bomb below a keeper until the system refuses it more, and ends it. It prints how many processes there
// were then, and what the bomb said.
func bomber(word string) {
	profile := keeper.Default()
	profile.Processes = 64
	k, err := keeper.New(keeper.Program(os.Args[0], asKeeper), keeper.Namespaces(false), keeper.Profiles(func(string) keeper.Profile { return profile }))
	if err != nil {
		panic(err)
	}
	p, err := k.Start(process.Command{
		File: "/bin/sh", Argv: []string{"sh", "-c", `bomb() { while :; do sh -c "sleep 60; :" ` + word + ` & done; }; bomb & bomb & bomb & sleep 60; :`, word},
		Dir: "/", Env: []string{"PATH=/usr/bin:/bin"},
	})
	if err != nil {
		panic(err)
	}
	said, err := bufio.NewReader(p.Stderr).ReadString('\n')
	if err != nil {
		panic(err)
	}
	n := len(marked(word)) // this program among them
	killed := time.Now()
	p.Kill()
	if _, err := p.Wait(); err != nil {
		panic(err)
	}
	if left := marked(word); len(left) > 1 && time.Since(killed) < patience {
		said = fmt.Sprintf("left are %d\n", len(left))
	}
	fmt.Printf("%d processes, and then: %s", n, said)
	os.Exit(0)
}
