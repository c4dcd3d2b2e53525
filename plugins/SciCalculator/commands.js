'use strict';
// A command and its arguments -> a payload (specification §5.2). A command returns {data, summary, warnings?} or
// throws a Refusal.

const { code, Refusal } = require('./refusal.js');

// The code of a command is loaded when it is called: a process serves one call.
const commands = {
  Evaluate: () => require('./command-evaluate.js'),
  Integrate: () => require('./command-integrate.js'),
  Convert: () => require('./command-convert.js'),
  Statistics: () => require('./command-statistics.js'),
};

function answer(command, args) {
  try {
    if (!Object.hasOwn(commands, command)) {
      throw new Refusal(code.UNKNOWN_COMMAND, `there is no command ${JSON.stringify(command)}`, { details: { commands: Object.keys(commands) } });
    }
    const { data, summary, warnings = [] } = commands[command]().run(args);
    return { status: 'success', data, resources: [], warnings, presentation: { summary }, extensions: {} };
  } catch (e) {
    return failure(e);
  }
}

function failure(e) {
  if (!(e instanceof Refusal)) {
    console.error(e);
    e = new Refusal(code.INTERNAL_ERROR, 'the calculator broke down; its log says where');
  }
  const { code: name, message, target, details } = e;
  return { status: 'error', data: null, resources: [], warnings: [], error: { code: name, message, retryable: false, target, details }, extensions: {} };
}

module.exports = { answer };
