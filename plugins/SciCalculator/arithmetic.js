'use strict';
// The operators on values. A value is an Exact, or a double where exactness was lost: by a function such as
// sin, or because the exact number would be wider than the limits. Doubles are always finite.

const exact = require('./exact.js');
const { code, Refusal } = require('./refusal.js');
const { Exact } = exact;

const isZero = (v) => (v instanceof Exact ? v.isZero : v === 0);
const isNegative = (v) => (v instanceof Exact ? v.n < 0n : v < 0);

// finite passes a double on that is a number and in range.
function finite(x) {
  if (Number.isNaN(x)) throw new Refusal(code.DOMAIN, 'the result is no real number');
  if (!Number.isFinite(x)) {
    throw new Refusal(code.OVERFLOW, 'the result is too large: beyond 10000 exact digits (1000 in a denominator), and beyond 1.8e308 as a floating-point number');
  }
  return x;
}

// notLost passes on what became zero only when it is zero.
function notLost(x, mayBeZero) {
  if (x === 0 && !mayBeZero) throw new Refusal(code.UNDERFLOW, 'the result is too small: nearer to zero than 5e-324');
  return finite(x);
}

// approximate is the nearest double of a value.
function approximate(v) {
  if (!(v instanceof Exact)) return v;
  const x = exact.toNumber(v);
  if (!Number.isFinite(x)) throw new Refusal(code.OVERFLOW, 'a number is too large for this operation, which works on floating-point numbers up to 1.8e308');
  return x;
}

// operation tries the exact way first.
function operation(exactly, roughly) {
  return (a, b, work) => {
    if (a instanceof Exact && b instanceof Exact) {
      const r = exactly(a, b, work);
      if (r !== null) return r;
    }
    return roughly(approximate(a), approximate(b));
  };
}

const add = operation(exact.add, (x, y) => finite(x + y));
const subtract = operation(exact.subtract, (x, y) => finite(x - y));
const multiply = operation(exact.multiply, (x, y) => notLost(x * y, x === 0 || y === 0));
const quotient = operation(exact.divide, (x, y) => notLost(x / y, x === 0));

function divide(a, b, work) {
  nonZero(b, 'division by zero');
  return quotient(a, b, work);
}

function nonZero(b, message) {
  if (isZero(b)) throw new Refusal(code.DIVISION_BY_ZERO, message);
}

// remainder has the sign of the dividend, modulo that of the divisor.
const truncated = operation((a, b, work) => rest(a, b, exact.trunc, work), (x, y) => finite(x % y));
const floored = operation((a, b, work) => rest(a, b, exact.floor, work), (x, y) => finite(x - y * Math.floor(x / y)));

function rest(a, b, toInteger, work) {
  const q = exact.divide(a, b, work);
  const back = q && exact.multiply(b, toInteger(q), work);
  return back && exact.subtract(a, back, work);
}

function remainder(a, b, work) {
  nonZero(b, 'the remainder of a division by zero');
  return truncated(a, b, work);
}

function modulo(a, b, work) {
  nonZero(b, 'the remainder of a division by zero');
  return floored(a, b, work);
}

const negate = (v) => (v instanceof Exact ? exact.negate(v) : -v);

const MAX_ROOT = 64; // the largest denominator of an exponent that is tried as an exact root

function power(a, b, work) {
  if (isZero(a) && isNegative(b)) throw new Refusal(code.DIVISION_BY_ZERO, 'zero to a negative power divides by zero');
  if (isNegative(a) && !isInteger(b)) {
    throw new Refusal(code.DOMAIN, 'a negative number has no real power with an exponent that is not an integer; cbrt takes the cube root of one');
  }
  return raised(a, b, work);
}

const raised = operation(
  (a, b, work) => {
    if (b.isInteger) return exact.power(a, b.n, work);
    if (b.d > MAX_ROOT) return null;
    const root = exact.root(a, Number(b.d), work);
    return root && exact.power(root, b.n, work);
  },
  (x, y) => notLost(x ** y, x === 0),
);

const isInteger = (v) => (v instanceof Exact ? v.isInteger : Number.isInteger(v));

// compare is exact between exact values.
function compare(a, b, work) {
  if (a instanceof Exact && b instanceof Exact) return exact.compare(a, b, work);
  return approximate(a) - approximate(b);
}

const MAX_FACTORIAL = 3_248; // the largest with no more than 10000 digits

function factorial(v, work) {
  if (!isInteger(v) || isNegative(v)) {
    throw new Refusal(code.DOMAIN, 'the factorial wants an integer that is not negative; gamma(x+1) continues it to other numbers');
  }
  if (compare(v, new Exact(BigInt(MAX_FACTORIAL)), work) > 0) {
    throw new Refusal(code.OVERFLOW, `the factorial is known up to ${MAX_FACTORIAL}, which has 10000 digits`);
  }
  const n = Number(approximate(v));
  work.spend(1 + n * (1 + n / 90));
  let product = 1n;
  for (let i = 2; i <= n; i++) product *= BigInt(i);
  return v instanceof Exact ? new Exact(product) : finite(Number(product));
}

module.exports = {
  add, subtract, multiply, divide, remainder, modulo, negate, power, factorial,
  compare, approximate, finite, notLost, isInteger, isNegative, isZero,
};
