package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vcp.core/runtime/record"
	"vcp.core/runtime/store/postgres"
	"vcp.core/runtime/store/sqlite"
)

// recordFile is where the data folder keeps the records of calls.
const recordFile = "records.db"

// storeWait is how long the program waits for its store to be opened or closed.
const storeWait = 30 * time.Second

// openRecords opens the store of records.
func (a *app) openRecords(ctx context.Context, data string) (record.Store, error) {
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	lost := func(_ record.Entry, err error) { a.sayf("vcp: a record was lost: %v", err) }
	if a.flags.Store != "" {
		store, err := postgres.Open(ctx, a.flags.Store, postgres.Options{Lost: lost})
		if err != nil { // not a nil *Store in a Store that is not nil
			return nil, err
		}
		return store, nil
	}
	store, err := sqlite.Open(ctx, filepath.Join(data, recordFile), sqlite.Options{Lost: lost})
	if err != nil {
		return nil, err
	}
	return store, nil
}

// storeHint says what to do about a store that cannot be opened.
func (a *app) storeHint() string {
	if a.flags.Store != "" {
		return "--store names the database, such as postgres://USER:PASSWORD@HOST/NAME; vcp doctor looks at it"
	}
	return "--data names another folder"
}

// reading opens the store for verbs that only read. Where nothing was recorded yet nothing is made.
func (a *app) reading(ctx context.Context) (record.Store, error) {
	data := a.dataDir()
	if _, err := os.Stat(filepath.Join(data, recordFile)); a.flags.Store == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, &stop{code: exitFindings, message: fmt.Sprintf("nothing was recorded in %s yet", data), hint: "vcp call and vcp serve record; --data names another folder"}
	}
	store, err := a.openRecords(ctx, data)
	if denied, ok := errors.AsType[*sqlite.AccessError](err); ok {
		return nil, &stop{code: exitFindings, message: fmt.Sprintf("the records cannot be read: %v", denied), hint: accessHint(denied)}
	}
	if err != nil {
		return nil, &stop{code: exitFindings, message: fmt.Sprintf("the records cannot be read: %v", err), hint: a.storeHint()}
	}
	return store, nil
}

// accessHint says who can do what for a user who may not read the records of somebody else.
func accessHint(e *sqlite.AccessError) string {
	if e.Lack == sqlite.CannotMake {
		return "vcp results of a user who may write there makes it"
	}
	return "who owns it can let a group read: chmod g+rx the folder, chmod g+r " + recordFile + " " + recordFile + "-wal " + recordFile + "-shm"
}

// unwritable says why a store takes no writes. It may have been opened all the same, to be read. It is asked to end an intent
// that there is not: that changes nothing, and an entry without anything in it would not even reach a database.
func unwritable(ctx context.Context, store record.Store) error {
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	if err := store.Commit(ctx, record.Entry{Resolves: "ti_none"}); errors.As(err, new(*record.ReadOnlyError)) {
		return err
	}
	return nil
}

// closeStore closes a store.
func closeStore(store record.Store) error {
	ctx, cancel := context.WithTimeout(context.Background(), storeWait)
	defer cancel()
	return store.Close(ctx)
}
