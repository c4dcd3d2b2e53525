'use strict';
// Integrate: an expression in one variable, and an interval -> its definite integral, numerically.

const { compile } = require('./evaluate.js');
const { Arguments, invalid } = require('./args.js');
const { approximate, finite } = require('./arithmetic.js');
const exact = require('./exact.js');
const { format } = require('./digits.js');
const { taken } = require('./functions.js');
const { NumberText } = require('./json.js');
const { integrate } = require('./quadrature.js');
const { code, Refusal } = require('./refusal.js');
const { short } = require('./summary.js');
const limits = require('./limits.js');

const TOLERANCE = exact.parse('1e-10');
const [LEAST, MOST] = [1e-13, 0.1];

function run(members) {
  const args = new Arguments(members, ['expression', 'variable', 'from', 'to', 'variables', 'angle', 'tolerance']);
  const expression = args.text('expression', limits.EXPRESSION_CHARACTERS);
  const variable = args.has('variable') ? args.name('variable', taken) : 'x';
  const [from, to] = [double(args, 'from'), double(args, 'to')];
  const angle = args.choice('angle', ['radians', 'degrees']);
  const tolerance = approximate(args.has('tolerance') ? args.number('tolerance') : TOLERANCE);
  if (tolerance < LEAST || tolerance > MOST) throw invalid('/tolerance', `expected a number from ${LEAST} to ${MOST}`);
  const variables = args.variables(taken);
  if (variables.has(variable)) throw invalid(`/variables/${variable}`, `"${variable}" is what is integrated over`);

  const evaluate = compile(expression);
  const context = { variables, angle, work: new limits.Work(), flush: true };
  const f = (x) => {
    variables.set(variable, x);
    try {
      return approximate(evaluate(context));
    } catch (e) {
      throw e instanceof Refusal ? e.at(null, { variable, value: number(x) }) : e;
    }
  };
  const { value, error, evaluations, converged } = integrate(f, from, to, tolerance);
  const data = { value: number(finite(value)), errorEstimate: number(error, 2), evaluations };
  if (!converged) {
    throw new Refusal(code.NOT_CONVERGED, 'the integral was not found to the tolerance: it may not exist, or the expression may jump or oscillate too much', {
      target: '/expression', details: data,
    });
  }
  const range = `${args.members.get('from').text} to ${args.members.get('to').text}`;
  return { data, summary: `∫ ${short(expression)} d${variable} from ${short(range)} ≈ ${data.value.text}` };
}

const number = (x, digits) => new NumberText(format(x, digits).text);

// double is a number as the rules want it.
function double(args, name) {
  const x = exact.toNumber(args.number(name));
  if (!Number.isFinite(x)) throw invalid(`/${name}`, 'expected a number up to 1.8e308');
  return x;
}

module.exports = { run };
