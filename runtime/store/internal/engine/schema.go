package engine

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"

	"vcp.core/runtime/record"
)

//go:embed migrations/*.sql
var migrations embed.FS

// versionTable is where the version of the tables stands.
const versionTable = "vcp_schema_version"

// Migrate brings the tables to the version that this program knows, or returns a [*record.SchemaError] when they
// are ahead of it. text adapts a migration to the database; nil leaves it as it is.
func Migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect, text func(string) string, options ...goose.ProviderOption) error {
	list, known, err := load(text)
	if err != nil {
		return err
	}
	options = append(options, goose.WithGoMigrations(list...), goose.WithDisableGlobalRegistry(true), goose.WithTableName(versionTable))
	provider, err := goose.NewProvider(dialect, db, nil, options...)
	if err != nil {
		return err
	}
	// Somebody else may have the same idea: then it was done, or it is not.
	_, err = provider.Up(ctx)
	found, asked := provider.GetDBVersion(ctx)
	switch {
	case asked != nil:
		return errors.Join(err, asked)
	case found > known:
		return &record.SchemaError{Found: found, Known: known}
	default:
		return err
	}
}

// load reads the migrations. Each is one script: both databases run several statements at once.
func load(text func(string) string) (list []*goose.Migration, known int64, err error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		number, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, 0, fmt.Errorf("%s has no version: %w", name, err)
		}
		script, err := migrations.ReadFile(name)
		if err != nil {
			return nil, 0, err
		}
		body := string(script)
		if text != nil {
			body = text(body)
		}
		up := &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, body)
			return err
		}}
		list = append(list, goose.NewGoMigration(version, up, nil))
		known = max(known, version)
	}
	return list, known, nil
}
