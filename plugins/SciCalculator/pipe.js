'use strict';
// Lines on file descriptors, without streams: a process that lives for one call has no use for them, and they
// take time to load.

const fs = require('node:fs');

const NEWLINE = 10;

class TooLong extends Error {}

// readLine returns the bytes before the first newline or the end, and throws TooLong for more than max. It does
// not wait for the end of the input.
function readLine(fd, max) {
  const chunks = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(65_536);
    const count = patiently(() => fs.readSync(fd, chunk));
    const end = chunk.subarray(0, count).indexOf(NEWLINE);
    chunks.push(chunk.subarray(0, end < 0 ? count : end));
    length += end < 0 ? count : end;
    if (length > max) throw new TooLong(`a line of more than ${max} bytes`);
    if (end >= 0 || count === 0) return Buffer.concat(chunks, length);
  }
}

// writeAll writes a text as a whole.
function writeAll(fd, text) {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) bytes = bytes.subarray(patiently(() => fs.writeSync(fd, bytes)));
}

// patiently tries again while a descriptor that does not block is not ready, and takes EOF, which some systems
// report as an error, for an end.
function patiently(operation) {
  for (;;) {
    try {
      return operation();
    } catch (e) {
      if (e.code === 'EOF') return 0;
      if (e.code !== 'EAGAIN') throw e;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

module.exports = { TooLong, readLine, writeAll };
