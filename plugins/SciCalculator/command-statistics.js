'use strict';
// Statistics: a list of numbers -> what describes it.
//
// Sums need no compensation here, because nothing is lost: the values are integers over one power of ten, so the
// sum of the values and of their squares are exact, whatever their sizes and signs. Only what is written down
// is rounded, once, to the digits asked for.

const exact = require('./exact.js');
const { Arguments, invalid } = require('./args.js');
const { format } = require('./digits.js');
const { NumberText } = require('./json.js');
const { code, Refusal } = require('./refusal.js');
const limits = require('./limits.js');
const { Exact } = exact;

const MAX_VALUES = 10_000;
const MAX_QUANTILES = 100;
const DECIMALS = 330; // of a value: enough for every double that is not subnormal
const QUARTILES = ['0.25', '0.5', '0.75'];

function statistics(members) {
  const args = new Arguments(members, ['values', 'quantiles', 'precision']);
  const values = args.list('values', MAX_VALUES);
  const probabilities = args.has('quantiles') ? args.list('quantiles', MAX_QUANTILES) : QUARTILES.map(exact.parse);
  probabilities.forEach((p, i) => {
    if (p.n < 0n || p.n > p.d) throw invalid(`/quantiles/${i}`, 'expected a number from 0 to 1');
  });
  const precision = args.precision();
  const number = (v) => new NumberText(format(v, precision).text);

  const { integers, scale } = common(values);
  integers.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const over = (n, d = 1n) => reduced(n, d * scale);
  const n = integers.length;
  const count = BigInt(n);
  let [sum, squares] = [0n, 0n];
  for (const x of integers) {
    sum += x;
    squares += x * x;
  }
  // The sum of squared distances from the mean is spread/(count × scale²).
  const spread = count * squares - sum * sum;
  const population = reduced(spread, count * count * scale * scale);
  const sample = n > 1 ? reduced(spread, count * (count - 1n) * scale * scale) : null;
  const deviation = (variance) => variance && new NumberText(squareRoot(variance, precision));
  const mean = over(sum, count);
  return {
    data: {
      count: n,
      sum: number(over(sum)),
      mean: number(mean),
      median: number(quantile(integers, new Exact(1n, 2n), scale)),
      min: number(over(integers[0])),
      max: number(over(integers[n - 1])),
      range: number(over(integers[n - 1] - integers[0])),
      variance: { population: number(population), sample: sample && number(sample) },
      standardDeviation: { population: deviation(population), sample: deviation(sample) },
      quantiles: probabilities.map((p) => ({ probability: number(p), value: number(quantile(integers, p, scale)) })),
      modes: modes(integers).map((x) => number(over(x))),
    },
    summary: `${n} ${n === 1 ? 'value' : 'values'}, mean ${format(mean, 6).text}`,
  };
}

// common brings the values over one denominator: integers[i]/scale.
function common(values) {
  let decimals = 0;
  for (const [i, v] of values.entries()) {
    const digits = decimalsOf(v);
    if (digits > DECIMALS || exact.bitLength(v.n) > 4 * DECIMALS) {
      throw new Refusal(code.LIMIT, `value ${i} has more than ${DECIMALS} decimals, or is beyond about 1e390`, {
        target: `/values/${i}`, details: { limit: 'digits', max: DECIMALS },
      });
    }
    decimals = Math.max(decimals, digits);
  }
  const scale = 10n ** BigInt(decimals);
  return { integers: values.map((v) => v.n * (scale / v.d)), scale };
}

// decimalsOf counts the digits after the point.
const decimalsOf = ({ d }) => (d === 1n ? 0 : Math.max(exact.factors(d, 2n), exact.factors(d, 5n)));

// reduced is n/d in lowest terms, of whatever width: the values were limited before.
function reduced(n, d) {
  const g = exact.gcd(exact.abs(n), d, new limits.Work(Infinity));
  return new Exact(n / g, d / g);
}

// quantile interpolates between the neighbours in the sorted list: position p × (count - 1).
function quantile(sorted, p, scale) {
  const at = p.n * BigInt(sorted.length - 1);
  const below = at / p.d;
  const rest = at % p.d;
  const low = sorted[Number(below)];
  if (rest === 0n) return reduced(low, scale);
  const high = sorted[Number(below) + 1];
  return reduced(low * p.d + (high - low) * rest, p.d * scale);
}

// squareRoot is the text of a root: of the root itself when that is a fraction, else of as many of its digits as
// are asked for.
function squareRoot(v, precision) {
  const work = new limits.Work(Infinity);
  const root = exact.root(v, 2, work);
  if (root) return format(root, precision).text;
  const digits = precision ?? limits.DEFAULT_DIGITS;
  const magnitude = v.n.toString().length - v.d.toString().length;
  const shift = Math.max(0, digits + 2 - Math.floor(magnitude / 2));
  const near = exact.rootOf((v.n * 10n ** BigInt(2 * shift)) / v.d, 2, work);
  return format(new Exact(near, 10n ** BigInt(shift)), digits).text;
}

// modes are the values that occur most often, in order; none when all occur once.
function modes(sorted) {
  const counts = new Map();
  for (const x of sorted) counts.set(x, (counts.get(x) ?? 0) + 1);
  let most = 1;
  for (const c of counts.values()) most = Math.max(most, c);
  return most === 1 ? [] : [...counts].filter(([, c]) => c === most).map(([x]) => x);
}

module.exports = { run: statistics };
