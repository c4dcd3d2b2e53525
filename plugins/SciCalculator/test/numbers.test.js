'use strict';

const { test } = require('node:test');
const assert = require('node:assert');
const exact = require('../exact.js');
const { format } = require('../digits.js');
const { pi } = require('../pi.js');
const { gamma } = require('../gamma.js');
const { Work } = require('../limits.js');

const { Exact } = exact;
const work = new Work(Infinity);

test('numbers are written whole or rounded', () => {
  const tests = [
    // value, precision, text, exact
    ['0', undefined, '0', true],
    ['-0.00', undefined, '0', true],
    ['100', undefined, '100', true],
    ['-12.340', undefined, '-12.34', true],
    ['0.0000001', undefined, '0.0000001', true],
    ['0.00000001', undefined, '1e-8', true],
    ['0.00000001234', undefined, '1.234e-8', true],
    ['1e25', undefined, '10000000000000000000000000', true],
    ['1e25', 3, '10000000000000000000000000', true],
    ['123456', 6, '123456', true],
    ['123456', 5, '123460', false],
    ['123456e20', 5, '1.2346e25', false],
    ['123455', 5, '123460', false], // half away from zero
    ['-123455', 5, '-123460', false],
    ['999999', 5, '1000000', false],
    ['0.999999', 5, '1', false],
    ['1234567890123456789012.5', undefined, '1234567890123456789012.5', true],
  ];
  for (const [value, precision, text, whole] of tests) {
    assert.deepStrictEqual(format(exact.parse(value), precision), { text, exact: whole }, `${value} with ${precision} digits`);
  }
  assert.strictEqual(format(new Exact(1n, 3n)).text, '0.333333333333333');
  assert.strictEqual(format(new Exact(-2n, 3n), 4).text, '-0.6667');
  assert.strictEqual(format(new Exact(1n, 3n * 10n ** 30n), 3).text, '3.33e-31');
  assert.strictEqual(format(new Exact(10n ** 30n, 3n), 3).text, '3.33e29');
});

test('doubles are written with 15 digits, or 17 at most', () => {
  const tests = [[0.1 + 0.2, undefined, '0.3'], [1 / 3, 30, '0.33333333333333331'], [-1.5e300, 2, '-1.5e300'], [-0, undefined, '0'], [5e-324, 3, '4.94e-324'], [123456789, 4, '123500000']];
  for (const [value, precision, text] of tests) assert.deepStrictEqual(format(value, precision), { text, exact: false });
});

test('rounding agrees with long division', () => {
  for (let n = 1n; n < 40n; n++) {
    for (const d of [3n, 7n, 9n, 11n, 13n, 17n, 999n]) {
      const digits = Number(format(new Exact(n * 1000n + 1n, d * 10n), 12).text);
      const want = Number(((n * 1000n + 1n) * 10n ** 20n) / (d * 10n)) / 1e20;
      assert.ok(Math.abs(digits - want) <= 1e-11 * want, `${n}/${d}: ${digits}, ${want}`);
    }
  }
});

test('the nearest double of a fraction', () => {
  for (const text of ['0.1', '1e22', '1e23', '123456789.123456789123456789', '9007199254740993', '9007199254740993.0000001', '4.9e-324', '2.2250738585072014e-308', '1.7976931348623157e308', '-0.3']) {
    assert.strictEqual(exact.toNumber(exact.parse(text)), Number(text), text);
  }
  assert.strictEqual(exact.toNumber(new Exact(10n ** 400n, 10n ** 399n * 3n)), 10 / 3);
});

test('laws of exact numbers', () => {
  const some = ['0', '1', '-1', '0.5', '-2.75', '3e10', '1e-12', '123456789012345678901234567890'].map(exact.parse);
  const same = (a, b) => assert.strictEqual(exact.compare(a, b, work), 0);
  for (const a of some) {
    for (const b of some) {
      same(exact.add(a, b, work), exact.add(b, a, work));
      same(exact.subtract(exact.add(a, b, work), b, work), a);
      if (!b.isZero) same(exact.multiply(exact.divide(a, b, work), b, work), a);
      for (const v of [exact.add(a, b, work), exact.multiply(a, b, work)]) {
        assert.ok(v.d > 0n && exact.gcd(exact.abs(v.n), v.d, work) === 1n, 'lowest terms');
      }
    }
    const up = exact.ceil(a);
    const down = exact.floor(a);
    assert.ok(exact.compare(down, a, work) <= 0 && exact.compare(a, up, work) <= 0 && up.n - down.n === (a.isInteger ? 0n : 1n));
  }
});

test('rounding to integers', () => {
  const tests = [['2.5', 3n, 2n, 3n, 2n], ['-2.5', -3n, -3n, -2n, -2n], ['2.49', 2n, 2n, 3n, 2n], ['-0.5', -1n, -1n, 0n, 0n], ['7', 7n, 7n, 7n, 7n]];
  for (const [text, round, floor, ceil, trunc] of tests) {
    const a = exact.parse(text);
    assert.deepStrictEqual([exact.round(a).n, exact.floor(a).n, exact.ceil(a).n, exact.trunc(a).n], [round, floor, ceil, trunc], text);
  }
});

test('roots', () => {
  for (let x = 0n; x < 300n; x++) {
    for (const k of [2, 3, 5]) {
      const r = exact.rootOf(x, k, work);
      assert.ok(r ** BigInt(k) <= x && (r + 1n) ** BigInt(k) > x, `${k}-th root of ${x}: ${r}`);
    }
  }
  const big = 3n ** 500n;
  assert.strictEqual(exact.root(new Exact(big ** 7n), 7, work).n, big);
  assert.strictEqual(exact.root(new Exact(big ** 7n + 1n), 7, work), null);
});

test('lengths of integers', () => {
  for (const k of [1, 3, 4, 5, 31, 32, 63, 64, 65, 1000]) {
    assert.strictEqual(exact.bitLength(1n << BigInt(k)), k + 1);
    assert.strictEqual(exact.bitLength((1n << BigInt(k)) - 1n), k);
    assert.strictEqual(exact.bitLength(-(1n << BigInt(k))), k + 1);
  }
});

test('pi', () => {
  assert.strictEqual(format(pi(60), 51).text, '3.14159265358979323846264338327950288419716939937511');
  // The digits before the end of a longer one are those of a shorter one.
  const [short, long] = [pi(500).n, pi(520).n];
  assert.ok(exact.abs(long / 10n ** 20n - short) <= 1n);
});

test('gamma is the factorial between the integers', () => {
  let factorial = 1;
  for (let n = 1; n < 170; n++) {
    assert.ok(Math.abs(gamma(n) / factorial - 1) < 2e-14, `gamma(${n})`);
    factorial *= n;
  }
  for (const x of [0.1, 0.5, 1.5, 3.7, -0.5, -3.3]) {
    assert.ok(Math.abs(gamma(x + 1) / (x * gamma(x)) - 1) < 1e-13, `gamma(${x})`);
  }
  assert.ok(Math.abs(gamma(0.5) ** 2 / Math.PI - 1) < 1e-14);
});
