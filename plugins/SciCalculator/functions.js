'use strict';
// The functions and constants that an expression may name. An entry of the table is [least, most, apply]: how
// many arguments it takes, and apply(values, context) with context {angle, work}.
//
// A function gives an exact value where the value is a fraction and that can be told (sqrt(4), log2(8), sin(0));
// else the nearest double it can find.

const exact = require('./exact.js');
const { code, Refusal } = require('./refusal.js');
const arithmetic = require('./arithmetic.js');
const trig = require('./trigonometry.js');
const { gamma } = require('./gamma.js');
const { Exact } = exact;
const { approximate, compare, finite, isInteger, isNegative, isZero, notLost } = arithmetic;

const MANY = 10_000; // more than an expression has room for

function domain(message) {
  return new Refusal(code.DOMAIN, message);
}

// one makes an entry of a function of one argument.
const one = (apply) => [1, 1, ([v], context) => apply(v, context)];

// smooth makes an entry of a function on doubles that has a fraction for value at one place only.
function smooth(f, at, value, wants) {
  const [place, there] = [new Exact(at), new Exact(value)];
  return one((v, { work }) => {
    if (v instanceof Exact && exact.compare(v, place, work) === 0) return there;
    const x = f(approximate(v));
    if (Number.isNaN(x) || (wants && !Number.isFinite(x))) throw domain(wants);
    return finite(x);
  });
}

function rootOfOrder(order, f) {
  return one((v, { work }) => {
    const negative = isNegative(v);
    if (negative && order % 2 === 0) throw domain('the square root wants a number that is not negative');
    if (v instanceof Exact) {
      const root = exact.root(negative ? exact.negate(v) : v, order, work);
      if (root) return negative ? exact.negate(root) : root;
    }
    return f(approximate(v));
  });
}

// logarithm to a base that is a value; it is exact when the base to that power gives the number back.
function logarithm(v, base, work) {
  if (isNegative(v) || isZero(v)) throw domain('the logarithm wants a number above zero');
  if (isNegative(base) || isZero(base) || compare(base, exact.ONE, work) === 0) throw domain('the base of a logarithm is a number above zero other than 1');
  const x = finite(ln(v) / ln(base));
  const near = Math.round(x);
  if (v instanceof Exact && base instanceof Exact && Math.abs(x - near) < 1e-9 && Math.abs(near) < 1e6) {
    const back = exact.power(base, BigInt(near), work);
    if (back && exact.compare(back, v, work) === 0) return new Exact(BigInt(near));
  }
  return x;
}

const ln = (v) => (v instanceof Exact ? exact.naturalLog(v) : Math.log(v));

function naturalLogarithm(v, { work }) {
  if (isNegative(v) || isZero(v)) throw domain('the logarithm wants a number above zero');
  return v instanceof Exact && exact.compare(v, exact.ONE, work) === 0 ? exact.ZERO : ln(v);
}

const TEN = new Exact(10n);
const TWO = new Exact(2n);

// toInteger makes an entry of a rounding function; a second argument is the number of decimals.
function toInteger(exactly, roughly) {
  return [1, 2, ([v, decimals = exact.ZERO], { work }) => {
    if (!isInteger(decimals) || Math.abs(approximate(decimals)) > 1000) throw domain('the number of decimals is an integer from -1000 to 1000');
    const scale = exact.power(TEN, BigInt(approximate(decimals)), work);
    const scaled = arithmetic.multiply(v, scale, work);
    return arithmetic.divide(scaled instanceof Exact ? exactly(scaled) : roughly(scaled), scale, work);
  }];
}

const roundHalfAway = (x) => Math.sign(x) * Math.round(Math.abs(x));

// pick makes an entry of min or max. The value is exact when all were: the others decided, too.
function pick(sign) {
  return [1, MANY, (values, { work }) => {
    const found = values.reduce((a, b) => (sign * compare(b, a, work) > 0 ? b : a));
    return values.every((v) => v instanceof Exact) ? found : approximate(found);
  }];
}

// integers makes an entry of a function of integers.
function integers(name, step) {
  return [1, MANY, (values, { work }) => {
    const list = values.map((v) => {
      if (!isInteger(v)) throw domain(`${name} wants integers`);
      return exact.abs(v instanceof Exact ? v.n : BigInt(v));
    });
    const result = list.reduce((a, b) => step(a, b, work));
    const value = exact.fraction(result, 1n, work);
    return value && values.every((v) => v instanceof Exact) ? value : finite(Number(result));
  }];
}

const leastCommonMultiple = (a, b, work) => (a === 0n || b === 0n ? 0n : narrow((a / exact.gcd(a, b, work)) * b, work));

// narrow refuses an integer that grew too wide on the way.
function narrow(x, work) {
  work.spend(exact.limbs(x));
  if (!exact.fraction(x, 1n, work)) throw new Refusal(code.OVERFLOW, 'the result has more than 10000 digits');
  return x;
}

function hypotenuse(values, { work }) {
  if (values.every((v) => v instanceof Exact)) {
    const sum = values.reduce((s, v) => s && square(s, v, work), exact.ZERO);
    const root = sum && exact.root(sum, 2, work);
    if (root) return root;
  }
  return finite(Math.hypot(...values.map(approximate)));
}

function square(sum, v, work) {
  const squared = exact.multiply(v, v, work);
  return squared && exact.add(sum, squared, work);
}

function gammaOf(v, { work }) {
  if (isInteger(v)) {
    if (isNegative(v) || isZero(v)) throw domain('gamma has no value at zero and at the negative integers');
    return arithmetic.factorial(arithmetic.subtract(v, exact.ONE, work), work);
  }
  return notLost(gamma(approximate(v)), false);
}

function sign(v) {
  if (!(v instanceof Exact)) return Math.sign(v);
  return new Exact(v.n > 0n ? 1n : v.n < 0n ? -1n : 0n);
}

const functions = new Map(Object.entries({
  sin: one(trig.sin), cos: one(trig.cos), tan: one(trig.tan),
  asin: one(trig.asin), acos: one(trig.acos), atan: one(trig.atan),
  atan2: [2, 2, ([y, x], context) => trig.atan2(y, x, context)],
  sinh: smooth(Math.sinh, 0n, 0n), cosh: smooth(Math.cosh, 0n, 1n), tanh: smooth(Math.tanh, 0n, 0n),
  asinh: smooth(Math.asinh, 0n, 0n), acosh: smooth(Math.acosh, 1n, 0n, 'acosh wants a number of at least 1'),
  atanh: smooth(Math.atanh, 0n, 0n, 'atanh wants a number between -1 and 1, neither of them included'),
  sqrt: rootOfOrder(2, Math.sqrt), cbrt: rootOfOrder(3, Math.cbrt),
  exp: one((v) => (v instanceof Exact && v.isZero ? exact.ONE : notLost(Math.exp(approximate(v)), false))),
  ln: one(naturalLogarithm),
  log: [1, 2, ([v, base = TEN], { work }) => logarithm(v, base, work)],
  log2: one((v, { work }) => logarithm(v, TWO, work)),
  log10: one((v, { work }) => logarithm(v, TEN, work)),
  abs: one((v) => (isNegative(v) ? arithmetic.negate(v) : v)),
  sign: one(sign),
  floor: toInteger(exact.floor, Math.floor), ceil: toInteger(exact.ceil, Math.ceil),
  round: toInteger(exact.round, roundHalfAway), trunc: toInteger(exact.trunc, Math.trunc),
  mod: [2, 2, ([a, b], { work }) => arithmetic.modulo(a, b, work)],
  min: pick(-1), max: pick(1),
  gcd: integers('gcd', exact.gcd), lcm: integers('lcm', leastCommonMultiple),
  factorial: one((v, { work }) => arithmetic.factorial(v, work)),
  gamma: one(gammaOf),
  hypot: [1, MANY, hypotenuse],
}));

const constants = new Map(Object.entries({
  pi: Math.PI, π: Math.PI, e: Math.E, tau: 2 * Math.PI, τ: 2 * Math.PI,
  phi: (1 + Math.sqrt(5)) / 2, φ: (1 + Math.sqrt(5)) / 2,
}));

// taken says that a name means something already.
const taken = (name) => functions.has(name) || constants.has(name);

module.exports = { functions, constants, taken };
