'use strict';
// The program of the plugin: one call frame on stdin, one result frame on stdout, words on stderr.
//
// It ends with 0 when a result was written, failures of the calculation included, and with 2 when standard
// input held no call (specification §11.3).

const { FrameError, readCall, writeResult } = require('./frame.js');
const { TooLong, readLine, writeAll } = require('./pipe.js');
const { answer } = require('./commands.js');

const MAX_FRAME = 16 << 20;

function main() {
  let call;
  try {
    call = readCall(readLine(0, MAX_FRAME));
  } catch (e) {
    if (!(e instanceof FrameError || e instanceof TooLong)) throw e;
    writeAll(2, `SciCalculator: ${e.message}\n`);
    return 2;
  }
  writeAll(1, writeResult(call.id, answer(call.command, call.args)));
  return 0;
}

process.exitCode = main();
