'use strict';
// A tree -> a value. What goes wrong is refused with the place in the expression: position counts characters
// (code points) from 0.

const exact = require('./exact.js');
const arithmetic = require('./arithmetic.js');
const { functions, constants } = require('./functions.js');
const { parse } = require('./parse.js');
const { near } = require('./near.js');
const { code, Refusal } = require('./refusal.js');

const operators = {
  '+': arithmetic.add, '-': arithmetic.subtract, '*': arithmetic.multiply,
  '/': arithmetic.divide, '%': arithmetic.remainder, '^': arithmetic.power,
};

// evaluate wants a context {variables: Map of name -> value, angle, work, flush}. With flush, what is too small for
// a double is zero and not refused.
function evaluate(tree, context) {
  // The left edge of a tree is as long as the expression (1+1+1+…), so it is walked without recursion; right
  // operands and arguments are nested no deeper than limits.NESTING.
  const spine = [];
  let node = tree;
  for (; node.left !== undefined; node = node.left) spine.push(node);
  let value = leaf(node, context);
  while (spine.length > 0) {
    node = spine.pop();
    context.work.spend(1);
    const right = node.kind === 'binary' ? evaluate(node.right, context) : undefined;
    value = placed(node, context, () =>
      node.kind === 'binary' ? operators[node.op](value, right, context.work) : arithmetic.factorial(value, context.work));
  }
  return value;
}

function leaf(node, context) {
  context.work.spend(1);
  switch (node.kind) {
    case 'number':
      return placed(node, context, () => literal(node.text));
    case 'name':
      return placed(node, context, () => named(node.name, context));
    case 'negative':
      return arithmetic.negate(evaluate(node.operand, context));
    default:
      return call(node, context);
  }
}

// literal reads a number: exactly if it is within the limits, as a double else.
function literal(text) {
  return exact.parse(text) ?? arithmetic.notLost(Number(text), false);
}

function named(name, { variables }) {
  const value = variables.get(name) ?? constants.get(name);
  if (value !== undefined) return value;
  if (functions.has(name)) throw new Refusal(code.SYNTAX, `${name} is a function: its arguments stand in parentheses`, { details: { name } });
  throw unknown('variable or constant', name, [...variables.keys(), ...constants.keys()]);
}

function call(node, context) {
  const entry = functions.get(node.name);
  const args = [];
  for (const arg of node.args) args.push(evaluate(arg, context));
  return placed(node, context, () => {
    if (entry === undefined) {
      if (context.variables.has(node.name) || constants.has(node.name)) {
        throw new Refusal(code.SYNTAX, `${node.name} is no function; a product wants the sign *`, { details: { name: node.name } });
      }
      throw unknown('function', node.name, [...functions.keys()]);
    }
    const [least, most, apply] = entry;
    if (args.length < least || args.length > most) {
      const wants = least === most ? `${least}` : most > 2 ? `${least} or more` : `${least} or ${most}`;
      throw new Refusal(code.SYNTAX, `${node.name} takes ${wants} argument${wants === '1' ? '' : 's'}, not ${args.length}`, { details: { name: node.name } });
    }
    return apply(args, context);
  });
}

function unknown(what, name, names) {
  const similar = near(name, names);
  const hint = similar.length > 0 ? `; is ${similar.join(' or ')} meant?` : '';
  return new Refusal(code.UNKNOWN_NAME, `there is no ${what} ${JSON.stringify(name)}${hint}`, { details: { name, similar } });
}

// placed adds the place of a node to a refusal that has none yet.
function placed(node, context, f) {
  try {
    return f();
  } catch (e) {
    if (context.flush && e instanceof Refusal && e.code === code.UNDERFLOW) return 0;
    throw e instanceof Refusal ? e.at(null, { at: node.at }) : e;
  }
}

// inExpression runs f and states the place of a refusal for callers: as position, with the target.
function inExpression(text, f) {
  try {
    return f();
  } catch (e) {
    if (!(e instanceof Refusal)) throw e;
    const { at, ...details } = e.details ?? {};
    if (at !== undefined) details.position = [...text.slice(0, at)].length;
    e.details = details;
    e.target ??= '/expression';
    throw e;
  }
}

// compile parses an expression; the function that it returns evaluates it in a context.
function compile(text) {
  const tree = inExpression(text, () => parse(text));
  return (context) => inExpression(text, () => evaluate(tree, context));
}

module.exports = { compile };
