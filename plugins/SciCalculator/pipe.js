'use strict';
// Lines on file descriptors, without streams: a program that does one thing after the other has no use for them, and
// they take time to load.

const fs = require('node:fs');

const NEWLINE = 10;

class TooLong extends Error {}

// Lines are the lines of a descriptor.
class Lines {
  #fd;
  #max;
  #rest = Buffer.alloc(0); // was read, behind the last line

  constructor(fd, max) {
    this.#fd = fd;
    this.#max = max;
  }

  // next returns the bytes before the next newline or the end, null when there is nothing, and throws TooLong for more
  // than max. It does not wait for anything behind the newline.
  next() {
    const chunks = [];
    let length = 0;
    for (let chunk = this.#rest; ; chunk = this.#read()) {
      if (chunk === null) return length > 0 ? Buffer.concat(chunks, length) : null;
      const end = chunk.indexOf(NEWLINE);
      const part = end < 0 ? chunk : chunk.subarray(0, end);
      chunks.push(part);
      length += part.length;
      if (length > this.#max) throw new TooLong(`a line of more than ${this.#max} bytes`);
      this.#rest = end < 0 ? Buffer.alloc(0) : chunk.subarray(end + 1);
      if (end >= 0) return Buffer.concat(chunks, length);
    }
  }

  #read() {
    const chunk = Buffer.allocUnsafe(65_536);
    const count = patiently(() => fs.readSync(this.#fd, chunk));
    return count > 0 ? chunk.subarray(0, count) : null;
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

module.exports = { Lines, TooLong, writeAll };
