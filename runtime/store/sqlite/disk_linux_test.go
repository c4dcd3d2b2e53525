package sqlite

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vcp.core/runtime/record"
	"vcp.core/runtime/store/storetest"
)

// These tests need a disk of their own. They run once more inside a mount namespace, where one may be mounted;
// ownDisk says which folder it is.
const ownDisk = "VCP_STORE_DISK"

// onDisk returns the folder of a small file system of the test's own; "" when the test was run again with one, and is
// done. It skips where nobody may mount.
func onDisk(t *testing.T, mount string) string {
	t.Helper()
	if dir := os.Getenv(ownDisk); dir != "" {
		return dir
	}
	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	try := exec.Command("unshare", "-m", "sh", "-c", mount, "sh", dir)
	if out, err := try.CombinedOutput(); err != nil {
		t.Skipf("nobody may mount a disk here: %v %s", err, out)
	}
	cmd := exec.Command("unshare", "-m", "sh", "-c", mount+`; shift; exec "$@"`, "sh", dir, program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), ownDisk+"="+dir)
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%s", out)
	default:
		t.Logf("%s", out)
	}
	return ""
}

const (
	tmpfs = `mount -t tmpfs -o size=6m,mode=700 tmpfs "$1"`
	// A disk image on a file system in memory: on ext4 a file can be made immutable.
	ext4 = `mount -t tmpfs -o size=80m tmpfs "$1" && truncate -s 64m "$1/image" && mkfs.ext4 -q -O ^has_journal "$1/image" && ` +
		`mkdir "$1/disk" && mount -o loop "$1/image" "$1/disk"`
)

// A full disk: writes are refused with an error that says so, reads go on, and with room everything goes on.
func TestFullDisk(t *testing.T) {
	dir := onDisk(t, tmpfs)
	if dir == "" {
		return
	}
	ctx := context.Background()
	s := (&file{path: filepath.Join(dir, "records.db")}).Open(t)
	rows := storetest.NewRows(1)
	var stored []record.Record
	for round := range 3 {
		ballast := filepath.Join(dir, "ballast")
		fillDisk(t, ballast)
		var refused error
		for range 5000 {
			r := rows.Record(t)
			if refused = s.Commit(ctx, record.Entry{Record: &r}); refused != nil {
				if _, err := s.Result(ctx, r.ResultID); !errors.As(err, new(*record.NotFoundError)) {
					t.Errorf("refused, and there: %v", err)
				}
				break
			}
			stored = append(stored, r)
		}
		if !errors.As(refused, new(*record.FullError)) {
			t.Fatalf("round %d: the disk is full, and Commit says %v", round, refused)
		}
		refused = nil
		for range 5000 { // the last bytes are enough for some
			if _, refused = s.Begin(ctx, rows.Intent()); refused != nil {
				break
			}
		}
		if !errors.As(refused, new(*record.FullError)) {
			t.Errorf("round %d: the disk is full, and Begin says %v", round, refused)
		}
		readAll(t, s, stored)
		if round == 1 { // a program that starts on a full disk
			other, err := Open(ctx, filepath.Join(dir, "records.db"), Options{})
			if err != nil && !errors.As(err, new(*record.FullError)) {
				t.Errorf("opening on a full disk: %v", err)
			}
			if err == nil {
				readAll(t, other, stored)
				if err := other.Close(ctx); err != nil {
					t.Error(err)
				}
			}
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		r := rows.Record(t)
		if err := s.Commit(ctx, record.Entry{Record: &r}); err != nil {
			t.Fatalf("round %d: there is room again, and Commit says %v", round, err)
		}
		stored = append(stored, r)
		if round == 1 {
			if _, err := s.Prune(ctx, record.Retention{ResultBytes: 1}); err != nil {
				t.Fatal(err)
			}
			stored = nil
		}
	}
	readAll(t, s, stored)
	intact(t, s)
	t.Logf("%d results since the last pruning", len(stored))
}

// fillDisk leaves less than a hundred kilobytes.
func fillDisk(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 4096)
	for err == nil {
		_, err = f.Write(block)
	}
	stat, err := f.Stat()
	if err == nil {
		err = f.Truncate(max(stat.Size()-64<<10, 0))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func readAll(t *testing.T, s record.Store, stored []record.Record) {
	t.Helper()
	for _, r := range stored {
		if got, err := s.Result(context.Background(), r.ResultID); err != nil || got.Result.Text != r.Result.Text {
			t.Fatalf("acknowledged, and read with %v", err)
		}
	}
	if _, err := s.List(context.Background(), record.Query{}); err != nil {
		t.Errorf("list: %v", err)
	}
}

func intact(t *testing.T, s record.Store) {
	t.Helper()
	var verdict string
	if err := s.(*Store).db.Readers().DB.QueryRow(`PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity: %s, %v", verdict, err)
	}
}

// A disk that was mounted read-only before the program started: it can be read, and when it is writable the
// same program writes.
func TestReadOnlyDisk(t *testing.T) {
	dir := onDisk(t, tmpfs)
	if dir == "" {
		return
	}
	ctx := context.Background()
	path := filepath.Join(dir, "new", "records.db")
	rows := storetest.NewRows(1)
	r := rows.Record(t)
	s := (&file{path: path}).Open(t)
	if err := s.Commit(ctx, record.Entry{Record: &r}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(ctx); err != nil {
		t.Fatal(err)
	}
	remount := func(mode string) {
		t.Helper()
		if out, err := exec.Command("mount", "-o", "remount,"+mode, dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	remount("ro")
	if _, err := Open(ctx, filepath.Join(dir, "other.db"), Options{}); !errors.As(err, new(*record.ReadOnlyError)) {
		t.Errorf("a new file on a read-only disk: %v", err)
	}
	s = (&file{path: path}).Open(t)
	readAll(t, s, []record.Record{r})
	next := rows.Record(t)
	if err := s.Commit(ctx, record.Entry{Record: &next}); !errors.As(err, new(*record.ReadOnlyError)) {
		t.Errorf("the disk is read-only, and Commit says %v", err)
	}
	if _, err := s.Begin(ctx, rows.Intent()); !errors.As(err, new(*record.ReadOnlyError)) {
		t.Errorf("the disk is read-only, and Begin says %v", err)
	}
	if open, err := s.Intents(ctx, record.IntentQuery{Orphaned: true}); err != nil || len(open) > 0 {
		t.Errorf("%v, %v", open, err)
	}
	remount("rw")
	if err := s.Commit(ctx, record.Entry{Record: &next}); err != nil {
		t.Errorf("the disk is writable again, and Commit says %v", err)
	}
	readAll(t, s, []record.Record{r, next})
	intact(t, s)
}

// A disk on which nothing can be written any more while the program runs.
func TestDiskTurnsReadOnly(t *testing.T) {
	dir := onDisk(t, ext4)
	if dir == "" {
		return
	}
	ctx := context.Background()
	folder := filepath.Join(dir, "disk", "data")
	s := (&file{path: filepath.Join(folder, "records.db")}).Open(t)
	rows := storetest.NewRows(1)
	var stored []record.Record
	for range 20 {
		r := rows.Record(t)
		if err := s.Commit(ctx, record.Entry{Record: &r}); err != nil {
			t.Fatal(err)
		}
		stored = append(stored, r)
	}
	chattr := func(mode string) {
		t.Helper()
		// The index of the log is mapped memory, in which readers write as well; SQLite has no reading without it.
		if out, err := exec.Command("chattr", mode, folder, filepath.Join(folder, "records.db"), filepath.Join(folder, "records.db-wal")).CombinedOutput(); err != nil {
			t.Skipf("files cannot be made immutable here: %v %s", err, out)
		}
	}
	for range 2 {
		chattr("+i")
		for range 3 {
			r := rows.Record(t)
			if err := s.Commit(ctx, record.Entry{Record: &r}); !errors.As(err, new(*record.ReadOnlyError)) {
				t.Errorf("nothing can be written, and Commit says %v", err)
			}
			readAll(t, s, stored)
		}
		chattr("-i")
		r := rows.Record(t)
		if err := s.Commit(ctx, record.Entry{Record: &r}); err != nil {
			t.Errorf("it can be written again, and Commit says %v", err)
		}
		stored = append(stored, r)
		readAll(t, s, stored)
	}
	intact(t, s)
}
