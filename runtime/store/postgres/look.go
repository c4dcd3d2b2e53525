package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"github.com/jackc/pgx/v5"

	"vcp.core/runtime/record"
)

// Server is what a database says of itself.
type Server struct {
	Version   string // "17.2"
	ReadOnly  bool   // it takes no writes
	Encrypted bool   // the connection is
	Near      bool   // it is on this machine
}

// Look asks the database of the URL what it is. Unlike [Open] it changes nothing there.
func Look(ctx context.Context, url string) (s Server, err error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return s, &URLError{}
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectWait
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return s, &record.UnavailableError{Err: err}
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	_, s.Encrypted = conn.PgConn().Conn().(*tls.Conn)
	switch at := conn.PgConn().Conn().RemoteAddr().(type) {
	case *net.UnixAddr:
		s.Near = true
	case *net.TCPAddr:
		s.Near = at.IP.IsLoopback()
	}
	s.Version = conn.PgConn().ParameterStatus("server_version")
	var readOnly string
	if err := conn.QueryRow(ctx, `SHOW transaction_read_only`).Scan(&readOnly); err != nil {
		return s, &record.UnavailableError{Err: err}
	}
	s.ReadOnly = readOnly == "on"
	return s, nil
}
