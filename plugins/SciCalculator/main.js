'use strict';
// The program of the plugin: call frames on stdin, a result frame for each on stdout, words on stderr. It serves one call
// or many, until its input ends. A calculation is not interrupted: a call that is cancelled is answered like any other,
// or the process is killed.
//
// It ends with 0 when each call was answered, failures of the calculation included, and with 2 when standard input
// held no call (specification §11.3).

const { FrameError, readCall, writeResult } = require('./frame.js');
const { Lines, TooLong, writeAll } = require('./pipe.js');
const { answer } = require('./commands.js');

const MAX_FRAME = 16 << 20;

function main() {
  const lines = new Lines(0, MAX_FRAME);
  let answered = 0;
  for (;;) {
    let call;
    try {
      const line = lines.next();
      if (line === null && answered > 0) return 0;
      call = readCall(line ?? Buffer.alloc(0));
    } catch (e) {
      if (!(e instanceof FrameError || e instanceof TooLong)) throw e;
      writeAll(2, `SciCalculator: ${e.message}\n`);
      return answered > 0 ? 0 : 2;
    }
    if (call === null) continue;
    writeAll(1, writeResult(call.id, answer(call.command, call.args)));
    answered++;
  }
}

process.exitCode = main();
