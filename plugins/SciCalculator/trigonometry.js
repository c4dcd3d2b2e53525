'use strict';
// The trigonometric functions, in radians and in degrees. In degrees an exact angle is first reduced exactly,
// and the angles whose value is a fraction have it: sin(30) is 1/2, and tan(90) is refused.

const exact = require('./exact.js');
const { approximate, finite, modulo } = require('./arithmetic.js');
const { code, Refusal } = require('./refusal.js');
const { Exact } = exact;

const FULL = new Exact(360n);
const DEGREE = Math.PI / 180;
const HALF = new Exact(1n, 2n);

// In degrees, what is a fraction. The tables begin with zero and end before the full circle.
const sines = new Map([[0n, exact.ZERO], [30n, HALF], [90n, exact.ONE], [150n, HALF], [180n, exact.ZERO],
  [210n, exact.negate(HALF)], [270n, exact.negate(exact.ONE)], [330n, exact.negate(HALF)]]);
const tangents = new Map([[0n, exact.ZERO], [45n, exact.ONE], [135n, exact.negate(exact.ONE)]]);

// reduced is an angle in degrees between 0 and 360.
const reduced = (v, context) => modulo(v, FULL, context.work);

const known = (table, v) => (v instanceof Exact && v.isInteger ? table.get(v.n) : undefined);

function sin(v, context) {
  if (context.angle === 'radians') return plain(Math.sin, v);
  const angle = reduced(v, context);
  return known(sines, angle) ?? Math.sin(approximate(angle) * DEGREE);
}

function cos(v, context) {
  if (context.angle === 'radians') return isZero(v) ? exact.ONE : Math.cos(approximate(v));
  const angle = reduced(v, context);
  const shifted = angle instanceof Exact ? modulo(exact.add(angle, new Exact(90n), context.work), FULL, context.work) : angle;
  return known(sines, shifted) ?? Math.cos(approximate(angle) * DEGREE);
}

function tan(v, context) {
  if (context.angle === 'radians') return plain(Math.tan, v);
  const angle = modulo(v, new Exact(180n), context.work);
  if (angle instanceof Exact && angle.isInteger && angle.n === 90n) {
    throw new Refusal(code.DOMAIN, 'the tangent of a right angle does not exist');
  }
  return known(tangents, angle) ?? finite(Math.tan(approximate(angle) * DEGREE));
}

const isZero = (v) => v instanceof Exact && v.isZero;

// plain applies a function that keeps zero.
const plain = (f, v) => (isZero(v) ? v : finite(f(approximate(v))));

// inverse makes a function that gives an angle. Fractions of a circle stand in a table of degrees by sine.
function inverse(f, table, name) {
  return (v, context) => {
    if (context.angle === 'degrees' && v instanceof Exact) {
      for (const [value, degrees] of table) {
        if (exact.compare(v, value, context.work) === 0) return new Exact(degrees);
      }
    }
    const x = f(approximate(v));
    if (Number.isNaN(x)) throw new Refusal(code.DOMAIN, `${name} wants a number from -1 to 1`);
    return angleOf(x, context);
  };
}

const angleOf = (x, context) => (context.angle === 'degrees' ? x / DEGREE : x);

const MINUS = exact.negate(exact.ONE);
const asin = inverse(Math.asin, [[MINUS, -90n], [exact.negate(HALF), -30n], [exact.ZERO, 0n], [HALF, 30n], [exact.ONE, 90n]], 'asin');
const acos = inverse(Math.acos, [[MINUS, 180n], [exact.negate(HALF), 120n], [exact.ZERO, 90n], [HALF, 60n], [exact.ONE, 0n]], 'acos');
const atan = inverse(Math.atan, [[MINUS, -45n], [exact.ZERO, 0n], [exact.ONE, 45n]], 'atan');
const atan2 = (y, x, context) => angleOf(Math.atan2(approximate(y), approximate(x)), context);

module.exports = { sin, cos, tan, asin, acos, atan, atan2, plain };
