//go:build ignore

// The child of BenchmarkCodec: a program that is built with the packages it compares.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"
	"github.com/santhosh-tekuri/jsonschema/v5"

	// IMPORTS

	"vcp.core/contract/wire"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func used() time.Duration {
	var r syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func canonical(src []byte) string {
	var t wire.Tape
	check(t.Scan(src, wire.Limits{}))
	return string(wire.AppendCanonical(nil, &t, 0))
}

type contender struct {
	name  string
	run   func()
	times []float64
}

func main() {
	read := func(name string) []byte {
		raw, err := os.ReadFile(filepath.Join(os.Args[1], name))
		check(err)
		return raw
	}
	src := read("document.json")
	text := string(src)
	var documents map[string][]byte
	check(json.Unmarshal(read("schemas.json"), &documents))
	five := jsonschema.NewCompiler()
	five.AssertFormat = true
	for uri, doc := range documents {
		check(five.AddResource(uri, bytes.NewReader(doc)))
	}
	by5, err := five.Compile(os.Args[2])
	check(err)

	// Numbers as they are spelled: v5 needs that to judge, and the struct has json.Number.
	open := sonic.Config{UseNumber: true}.Froze()
	fast := sonic.ConfigFastest

	value, err := result.DecodeResult(src)
	check(err)
	var struct_ plain.Result
	check(sonic.UnmarshalString(text, &struct_))
	if again, err := sonic.Marshal(&struct_); err != nil || canonical(again) != canonical(src) || canonical(value.AppendJSON(nil)) != canonical(src) {
		panic(fmt.Sprintf("something is lost: %s, %v", again, err))
	}

	var tape wire.Tape
	check(tape.Scan(src, wire.Limits{}))
	buffer := make([]byte, 0, 1<<14)
	contenders := []*contender{
		{name: "decode", run: func() {
			_, err := result.DecodeResult(src)
			check(err)
		}},
		{name: "sonic", run: func() {
			var v plain.Result
			check(sonic.UnmarshalString(text, &v))
		}},
		{name: "sonic-fastest", run: func() {
			var v plain.Result
			check(fast.UnmarshalFromString(text, &v))
		}},
		{name: "sonic-checked", run: func() {
			var v any
			check(open.UnmarshalFromString(text, &v))
			check(by5.Validate(v))
			var s plain.Result
			check(sonic.UnmarshalString(text, &s))
		}},
		{name: "scan", run: func() { check(tape.Scan(src, wire.Limits{})) }},
		{name: "judge", run: func() { check(result.JudgeResult(&tape)) }},
		{name: "judge-without-matrix", run: func() { check(nomatrix.JudgeResult(&tape)) }},
		{name: "encode", run: func() { buffer = value.AppendJSON(buffer[:0]) }},
		{name: "sonic-encode", run: func() {
			buffer = buffer[:0]
			check(encoder.EncodeInto(&buffer, &struct_, 0))
		}},
	}
	const rounds, calls = 15, 4000
	for range rounds {
		for _, c := range contenders {
			n := calls
			if c.name == "sonic-checked" {
				n /= 10
			}
			before := used()
			for range n {
				c.run()
			}
			c.times = append(c.times, float64(used()-before)/float64(n))
		}
	}
	at := map[string]float64{}
	type figure struct {
		Name  string
		Value float64
	}
	var figures []figure
	for _, c := range contenders {
		slices.Sort(c.times)
		at[c.name] = c.times[len(c.times)/2]
		figures = append(figures, figure{c.name + "-ns", at[c.name]})
	}
	figures = append(figures,
		figure{"decode-allocs", testing.AllocsPerRun(100, contenders[0].run)},
		figure{"decode/sonic", at["decode"] / min(at["sonic"], at["sonic-fastest"])},
		figure{"decode/checked", at["decode"] / at["sonic-checked"]},
		figure{"encode/sonic", at["encode"] / at["sonic-encode"]},
		figure{"matrix/decode", (at["judge"] - at["judge-without-matrix"]) / at["decode"]},
	)
	check(json.NewEncoder(os.Stdout).Encode(figures))
}
