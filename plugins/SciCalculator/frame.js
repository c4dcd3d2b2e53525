'use strict';
// The frames of the stdio transport (specification §11): one line of JSON each. A call comes in, its result goes out.

const json = require('./json.js');

const VERSION = '1.0';
const INVOCATION = /^ti_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

// FrameError says that a line is no call. There is nobody to answer then: the program ends with a word on
// stderr, without a frame.
class FrameError extends Error {}

// readCall takes the bytes of a line and returns {id, command, args}, or null for the request to end a call: by the
// time it is read, the call has been answered.
function readCall(bytes) {
  const frame = parse(bytes);
  if (!(frame instanceof Map)) throw new FrameError('the frame is no object');
  if (frame.get('vcp') === 'tool-cancel') return null;
  if (frame.get('vcp') !== 'tool-call') throw new FrameError('the frame is no tool-call');
  if (frame.get('version') !== VERSION) throw new FrameError(`the frame has not version ${VERSION}`);
  const id = frame.get('id');
  if (typeof id !== 'string' || !INVOCATION.test(id)) throw new FrameError('the frame has no invocation id');
  const payload = frame.get('payload');
  const [command, args] = payload instanceof Map ? [payload.get('command'), payload.get('arguments')] : [];
  if (typeof command !== 'string' || !(args instanceof Map)) throw new FrameError('the payload has no command or no arguments');
  return { id, command, args };
}

function parse(bytes) {
  if (bytes.length === 0) throw new FrameError('there is no frame on standard input');
  try {
    return json.read(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (e) {
    if (e instanceof json.JSONError) throw new FrameError(`the frame is no JSON: ${e.message}`);
    if (e instanceof TypeError) throw new FrameError('the frame is not UTF-8');
    throw e;
  }
}

// writeResult is the line that answers a call.
function writeResult(id, payload) {
  return `${json.write({ vcp: 'tool-result', version: VERSION, id, payload })}\n`;
}

module.exports = { FrameError, readCall, writeResult };
