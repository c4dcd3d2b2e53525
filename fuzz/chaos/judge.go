//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"vcp.core/runtime/record"
	"vcp.core/runtime/store/postgres"
	"vcp.core/runtime/store/sqlite"
)

// judge looks at what is left, and prints what it counted.
func (w *world) judge(ctx context.Context) (err error) {
	store, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close(ctx)) }()
	lost := 0
	for id, recordID := range w.acks.results {
		kept, err := store.Result(ctx, id)
		switch {
		case errors.As(err, new(*record.NotFoundError)):
			lost++
		case err != nil:
			return err
		case kept.ID != recordID:
			lost++
		}
	}
	open, err := store.Intents(ctx, record.IntentQuery{Limit: 1000})
	if err != nil {
		return err
	}
	statuses, unknown, err := invocations(ctx, store)
	if err != nil {
		return err
	}
	noted, silent := 0, 0
	for _, tool := range []string{once, keptTool} {
		ids, err := w.effects(tool)
		if err != nil {
			return err
		}
		noted += len(ids)
		for _, id := range ids {
			if !statuses[id] {
				silent++
			}
		}
	}
	fmt.Printf("chaos: %d calls answered, %d acknowledged with a record, %d of them lost\n", w.acks.calls, len(w.acks.results), lost)
	fmt.Printf("chaos: %d effects noted by programs, %d of them without a record; %d calls of which nobody knows; %d intents open; 0 processes left\n", noted, silent, unknown, len(open))
	switch {
	case lost > 0 || silent > 0 || len(open) > 0:
		return errors.New("something was lost")
	case len(w.acks.results) == 0 || noted == 0:
		return errors.New("nothing happened: the run proves nothing")
	}
	return nil
}

func (w *world) open(ctx context.Context) (record.Store, error) {
	if w.store != "" {
		return postgres.Open(ctx, w.store, postgres.Options{})
	}
	return sqlite.Open(ctx, filepath.Join(w.dir, "data", "records.db"), sqlite.Options{})
}

// invocations are those that have a record, and how many of the records say that nobody knows.
func invocations(ctx context.Context, store record.Store) (known map[string]bool, unknown int, err error) {
	known = map[string]bool{}
	for q := (record.Query{Limit: 1000}); ; {
		page, err := store.List(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		for i := range page.Records {
			known[page.Records[i].InvocationID] = true
			if page.Records[i].Code == "INTERNAL_ERROR" {
				unknown++
			}
		}
		if q.After = page.Next; q.After == "" {
			return known, unknown, nil
		}
	}
}

// effects are the invocations that a program noted.
func (w *world) effects(tool string) ([]string, error) {
	f, err := os.Open(filepath.Join(w.dir, "data", "plugins", tool, effects))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	var list []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		list = append(list, lines.Text())
	}
	return list, nil
}
