// Package frames writes what a transaction adds to SQLite's log at once.
//
// SQLite writes each page to its log (WAL) by two system calls, the head of the frame and the page: 20 of them for the smallest transaction
// of the store, a hundred for a group. Together they cost more than the copying does.
//
// Data flow: SQLite -> the methods of this package for files that are logs -> a buffer, up to the frame that ends the transaction -> the
// methods of SQLite's own file system. All other files, and all other methods, are that file system's.
//
// # Why it is as safe
//
// Nobody reads a frame before the index of the log names it, and SQLite names the frames of a transaction when the last one
// was written, which is when the error of writing any of them is returned here. Whatever SQLite asks of the log in between (to read,
// flush, cut, measure or close it) writes first what is kept back.
//
// One thing is asked of connections: PRAGMA cache_spill=0, so that a transaction writes to the log at its end only. With
// spilling each connection would still see its own pages; but what was spilled by a transaction that is given up could be
// written later, when it is another process's turn to write.
//
// Format of the log: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
package frames
