package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"unicode"
)

// logger speaks to the person at the terminal: of what matters only, or of everything.
func (a *app) logger() *slog.Logger {
	if a.quiet {
		return slog.New(slog.DiscardHandler)
	}
	level := slog.LevelWarn
	if a.everything {
		level = slog.LevelDebug
	}
	return slog.New(&terminal{slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: level}), a.stderr})
}

// terminal shows stacks, and what a process wrote to its standard error, as the lines that they are. A traceback in one
// quoted attribute is read by programs; here somebody wants to know why his plugin crashed.
type terminal struct {
	slog.Handler
	out io.Writer
}

// WithAttrs implements slog.Handler.
func (t *terminal) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &terminal{t.Handler.WithAttrs(attrs), t.out}
}

// WithGroup implements slog.Handler.
func (t *terminal) WithGroup(name string) slog.Handler {
	return &terminal{t.Handler.WithGroup(name), t.out}
}

// Handle implements slog.Handler.
func (t *terminal) Handle(ctx context.Context, r slog.Record) error {
	var text string
	plain := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "stderr" || a.Key == "stack" {
			text += a.Value.String()
		} else {
			plain.AddAttrs(a)
		}
		return true
	})
	var lines strings.Builder
	for line := range strings.Lines(text) {
		fmt.Fprintf(&lines, "  | %s\n", spelled(strings.TrimRight(line, "\r\n")))
	}
	if err := t.Handler.Handle(ctx, plain); err != nil {
		return err
	}
	_, err := io.WriteString(t.out, lines.String())
	return err
}

// spelled writes what a terminal would obey as escapes: a plugin's words are data.
func spelled(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\t' || unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}
