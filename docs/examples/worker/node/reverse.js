'use strict';
// Turns texts around, in JavaScript.

const { setTimeout: sleep } = require('node:timers/promises');
const { Failure, serve } = require('./worker.js');

function reverse(call) {
  const { text } = call.arguments;
  if (text === '') throw new Failure('REVERSE.EMPTY', 'there is nothing to reverse');
  return { text: [...text].reverse().join('') };
}

async function wait(call) {
  const begun = performance.now();
  call.progress('wait', 0, 'waiting');
  await sleep(call.arguments.ms, null, { signal: call.signal }).catch(() => {});
  return { waited: Math.round(performance.now() - begun) };
}

serve({ Reverse: reverse, Wait: wait });
