'use strict';
// Serves the calls of a plugin: frames come in on the standard input, answers go out on the standard output.
//
//   serve({ Reverse: (call) => ({ text: call.arguments.text.split('').reverse().join('') }) });
//
// A function gets a call and returns the data of its answer, or a promise of it, or throws a Failure. Calls run side
// by side as far as the functions wait for something. A call has arguments, context (dataDir, config, deadline, …), signal,
// an AbortSignal that says that the call is to end, and progress(stage, share, message).

const { Console } = require('node:console');

globalThis.console = new Console(process.stderr); // what is printed is no frame

// Failure is an error that the plugin foresees; code is one of the manifest's errorCodes.
class Failure extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

function answer(status, data, error) {
  return { status, data, resources: [], warnings: [], extensions: {}, ...(error && { error }) };
}

function frame(vcp, id, payload) {
  return `${JSON.stringify({ vcp, version: '1.0', id, payload })}\n`;
}

// resultOf calls a function and turns every way to leave it, data that is no JSON too, into an answer.
async function resultOf(commands, call) {
  const result = (...payload) => frame('tool-result', call.id, answer(...payload));
  try {
    const data = await commands[call.command](call);
    return result('success', data === undefined ? null : data);
  } catch (e) {
    if (e instanceof Failure) return result('error', null, { code: e.code, message: e.message });
    console.error(e);
    return result('error', null, { code: 'INTERNAL_ERROR', message: `${call.command} broke down` });
  }
}

// lines calls take for each line of a stream. Bytes are put together before they are decoded: a chunk may end inside
// of a character.
function lines(stream, take) {
  let parts = [];
  stream.on('data', (chunk) => {
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10)) {
      parts.push(chunk.subarray(0, end));
      chunk = chunk.subarray(end + 1);
      const line = Buffer.concat(parts).toString();
      parts = [];
      if (line.trim() !== '') take(line);
    }
    if (chunk.length > 0) parts.push(chunk);
  });
}

// Call is one call of a command.
class Call {
  #abort; // made when somebody asks for the signal or the end

  constructor(id, { command, arguments: args, context }) {
    Object.assign(this, { id, command, arguments: args, context, open: true });
  }

  get signal() {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  cancel(reason) {
    if (!this.signal.aborted) this.#abort.abort(reason);
  }

  progress(stage, share = null, message = null) {
    if (this.open) process.stdout.write(frame('tool-progress', this.id, { stage, progress: share, message }));
  }
}

// serve answers calls until the input ends. The process ends when the last one is answered.
function serve(commands) {
  const running = new Map();
  lines(process.stdin, async (line) => {
    const { vcp, id, payload } = JSON.parse(line);
    if (vcp === 'tool-cancel') {
      running.get(id)?.cancel(payload.reason);
      return;
    }
    const call = new Call(id, payload);
    running.set(id, call);
    const result = await resultOf(commands, call);
    running.delete(id);
    call.open = false;
    process.stdout.write(result);
  });
}

module.exports = { Failure, serve };
