'use strict';
// Evaluate: an expression and its variables -> its value.

const { compile } = require('./evaluate.js');
const { taken } = require('./functions.js');
const { Arguments } = require('./args.js');
const { Exact, abs } = require('./exact.js');
const { format } = require('./digits.js');
const { NumberText } = require('./json.js');
const { short } = require('./summary.js');
const limits = require('./limits.js');

function evaluate(members) {
  const args = new Arguments(members, ['expression', 'variables', 'angle', 'precision']);
  const expression = args.text('expression', limits.EXPRESSION_CHARACTERS);
  const angle = args.choice('angle', ['radians', 'degrees']);
  const precision = args.precision();
  const variables = args.variables(taken);
  const value = compile(expression)({ variables, angle, work: new limits.Work() });
  const { text, exact } = format(value, precision);
  return {
    data: { value: new NumberText(text), text, exact, fraction: fraction(value, exact) },
    summary: `${short(expression)} ${exact ? '=' : '≈'} ${short(text)}`,
    warnings: warnings(value, precision),
  };
}

const MAX_FRACTION = 10n ** 50n; // longer fractions say nothing to anybody

// fraction is an exact value whose digits do not show it, undefined for every other one.
function fraction(value, shown) {
  if (shown || !(value instanceof Exact) || value.isInteger || abs(value.n) > MAX_FRACTION || value.d > MAX_FRACTION) return undefined;
  return { numerator: new NumberText(value.n.toString()), denominator: new NumberText(value.d.toString()) };
}

function warnings(value, precision) {
  if (value instanceof Exact || precision === undefined || precision <= limits.DOUBLE_DIGITS) return [];
  return [{
    code: 'SCICALCULATOR.PRECISION_LIMITED',
    message: `the value was computed with floating-point numbers, which have ${limits.DOUBLE_DIGITS} significant digits at most`,
    target: '/precision',
    details: { requested: precision, delivered: limits.DOUBLE_DIGITS },
  }];
}

module.exports = { run: evaluate };
