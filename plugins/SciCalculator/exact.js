'use strict';
// Exact numbers: fractions of two integers in lowest terms, the denominator positive. Integers and decimals
// are such fractions, so 2^100 and 0.1+0.2 come out as in school.
//
// Operations return null when the outcome is wider than the limits: the caller then goes on with doubles.
// Operations that can be expensive pay for themselves from a Work.

const { BITS, DIGITS, FRACTION_BITS, FRACTION_DIGITS } = require('./limits.js');

class Exact {
  constructor(n, d = 1n) {
    this.n = n;
    this.d = d;
  }

  get isInteger() {
    return this.d === 1n;
  }

  get isZero() {
    return this.n === 0n;
  }
}

const ZERO = new Exact(0n);
const ONE = new Exact(1n);

const WORD = 1n << 64n;
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

const abs = (x) => (x < 0n ? -x : x);

function bitLength(x) {
  const text = abs(x).toString(16);
  return 4 * text.length - Math.clz32(parseInt(text[0], 16)) + 28;
}

// limbs is the size of an integer in words of 64 bits, at least 1.
const limbs = (x) => (x < WORD && x > -WORD ? 1 : Math.ceil(bitLength(x) / 64));

const wider = (x, bits) => x >= WORD && bitLength(x) > bits;

// gcd is Euclid's: as many steps as the shorter number has bits, and each costs its length, long ones more.
function gcd(a, b, work) {
  const size = Math.min(limbs(a), limbs(b));
  work.spend(20 + 2 * size * size * (1 + size / 100));
  while (b > SAFE) [a, b] = [b, a % b];
  if (b === 0n) return a;
  let [x, y] = [Number(b), Number(a % b)];
  while (y !== 0) [x, y] = [y, x % y];
  return BigInt(x);
}

// LONG is the size from which on no common divisor is looked for.
const LONG = (4 * FRACTION_BITS) / 64;

// fraction is n/d in lowest terms, null when that is too wide.
function fraction(n, d, work) {
  if (d < 0n) [n, d] = [-n, -d];
  if (d !== 1n) {
    const g = limbs(d) > LONG && limbs(n) > LONG ? wholeDivisor(n, d, work) : gcd(abs(n), d, work);
    if (g !== 1n) [n, d] = [n / g, d / g];
  }
  return wider(abs(n), BITS) || wider(d, FRACTION_BITS) ? null : new Exact(n, d);
}

// wholeDivisor is d when it divides n, else 1.
function wholeDivisor(n, d, work) {
  work.spend((limbs(n) * limbs(d)) / 32);
  return n % d === 0n ? d : 1n;
}

function product(a, b, work) {
  work.spend(1 + (limbs(a) * limbs(b)) / 64);
  return a * b;
}

function add(a, b, work) {
  if (a.d === 1n && b.d === 1n) {
    work.spend(1 + limbs(a.n) + limbs(b.n));
    return fraction(a.n + b.n, 1n, work);
  }
  return fraction(product(a.n, b.d, work) + product(b.n, a.d, work), product(a.d, b.d, work), work);
}

const negate = (a) => new Exact(-a.n, a.d);
const subtract = (a, b, work) => add(a, negate(b), work);
const multiply = (a, b, work) => fraction(product(a.n, b.n, work), product(a.d, b.d, work), work);
// divide wants a divisor that is not zero.
const divide = (a, b, work) => fraction(product(a.n, b.d, work), product(a.d, b.n, work), work);

// power raises to an integer power; zero only to one that is not negative.
function power(a, k, work) {
  if (k < 0n) {
    const sign = a.n < 0n ? -1n : 1n;
    return power(new Exact(sign * a.d, sign * a.n), -k, work);
  }
  if (k === 0n) return ONE;
  if (a.isZero) return ZERO;
  const [above, below] = [bitLength(a.n) - 1, bitLength(a.d) - 1];
  if (above + below === 0) return new Exact(k % 2n === 0n ? 1n : a.n); // 1 and -1
  if (k > BITS || above * Number(k) > BITS || below * Number(k) > FRACTION_BITS) return null;
  const words = ((above + below) * Number(k)) / 64;
  work.spend(1 + (words * words) / 32);
  return new Exact(a.n ** k, a.d ** k);
}

function compare(a, b, work) {
  const [x, y] = [product(a.n, b.d, work), product(b.n, a.d, work)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function floor(a) {
  const q = a.n / a.d; // towards zero
  return new Exact(a.n < 0n && a.n % a.d !== 0n ? q - 1n : q);
}

const ceil = (a) => negate(floor(negate(a)));
const trunc = (a) => new Exact(a.n / a.d);
// round takes halves away from zero.
const round = (a) => (a.n < 0n ? negate(round(negate(a))) : floor(new Exact(2n * a.n + a.d, 2n * a.d)));

// rootOf is the whole part of the k-th root of an integer that is not negative, by Newton's method from above.
function rootOf(x, k, work) {
  if (x < 2n) return x;
  work.spend(1 + (limbs(x) * limbs(x)) / 4);
  const power = BigInt(k);
  let r = 1n << BigInt(Math.ceil(bitLength(x) / k));
  for (;;) {
    const next = ((power - 1n) * r + x / r ** (power - 1n)) / power;
    if (next >= r) return r;
    r = next;
  }
}

// root is the k-th root of a number that is not negative, null unless it is a fraction itself.
function root(a, k, work) {
  const [n, d] = [rootOf(a.n, k, work), rootOf(a.d, k, work)];
  return n ** BigInt(k) === a.n && d ** BigInt(k) === a.d ? new Exact(n, d) : null;
}

const decimal = /^(-?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/;

// parse reads a decimal number, null when it has too many digits, written out.
function parse(text) {
  const [, sign, whole, part = '', exponent = '0'] = decimal.exec(text);
  const digits = (whole + part).replace(/^0+/, '');
  if (digits === '') return ZERO;
  const power = Number(exponent) - part.length;
  if (digits.length + Math.max(power, 0) > DIGITS || -power > FRACTION_DIGITS) return null;
  const n = BigInt(sign + digits);
  if (power >= 0) return new Exact(n * 10n ** BigInt(power));
  // In lowest terms: only twos and fives can be above and below.
  const [twos, fives] = [2n, 5n].map((prime) => prime ** BigInt(Math.min(factors(n, prime), -power)));
  return new Exact(n / twos / fives, 10n ** BigInt(-power) / twos / fives);
}

// factors counts how often a prime divides a number other than zero, in large steps first.
function factors(x, prime) {
  let count = 0;
  for (const step of [1024, 64, 8, 1]) {
    const divisor = prime ** BigInt(step);
    for (; x % divisor === 0n; x /= divisor) count += step;
  }
  return count;
}

// toNumber is the nearest double, infinite when there is none.
function toNumber(a) {
  const size = abs(a.n);
  if (a.d === 1n) return Number(a.n);
  if (size <= SAFE && a.d <= SAFE) return Number(a.n) / Number(a.d);
  // 66 bits or more of the quotient and, as the last of them, whether anything is left: rounded once.
  const shift = bitLength(a.d) - bitLength(size) + 66;
  const [n, d] = shift >= 0 ? [size << BigInt(shift), a.d] : [size, a.d << BigInt(-shift)];
  const q = n / d;
  const x = scale(Number(n % d === 0n ? q : q | 1n), -shift);
  return a.n < 0n ? -x : x;
}

// scale multiplies by a power of two in steps that are doubles themselves.
function scale(x, power) {
  for (; power > 1000; power -= 1000) x *= 2 ** 1000;
  for (; power < -1000; power += 1000) x *= 2 ** -1000;
  return x * 2 ** power;
}

// naturalLog is the logarithm of a positive number of any size.
function naturalLog(a) {
  const x = toNumber(a);
  if (Number.isFinite(x) && x > 1e-300) return Math.log(x);
  const shift = bitLength(a.n) - bitLength(a.d);
  const near = shift >= 0 ? new Exact(a.n, a.d << BigInt(shift)) : new Exact(a.n << BigInt(-shift), a.d);
  return Math.log(toNumber(near)) + shift * Math.LN2;
}

module.exports = {
  Exact, ZERO, ONE, abs, bitLength, limbs, gcd, fraction, add, negate, subtract, multiply, divide, power, compare,
  floor, ceil, trunc, round, rootOf, root, parse, factors, toNumber, naturalLog,
};
