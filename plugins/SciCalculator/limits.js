'use strict';
// What an expression may cost. The limits count work and not time, so that the same expression always has the
// same outcome; together they keep a call below a second (test/hostile.test.js).

const { code, Refusal } = require('./refusal.js');

const EXPRESSION_CHARACTERS = 10_000;
const NESTING = 200;
const DIGITS = 10_000; // of an exact integer, and of a numerator
const BITS = 33_220; // just above 10^10000
const FRACTION_DIGITS = 1_000; // of a denominator: Euclid's algorithm on 10000 digits takes half a second
const FRACTION_BITS = 3_322; // just above 10^1000
const PRECISION = 500; // significant digits that may be asked for
const DOUBLE_DIGITS = 17; // more digits of a double mean nothing
const DEFAULT_DIGITS = 15; // so many digits of a double are right after a few operations
const WORK = 2_000_000;

function exceeded(limit, max, message) {
  return new Refusal(code.LIMIT, message, { details: { limit, max } });
}

// Work is what a call may still spend. A unit is at most about 0.25 microseconds.
class Work {
  constructor(units = WORK) {
    this.left = units;
  }

  spend(units) {
    this.left -= units;
    if (this.left < 0) throw exceeded('work', WORK, 'the calculation takes too many steps on too long numbers');
  }
}

module.exports = {
  EXPRESSION_CHARACTERS, NESTING, DIGITS, BITS, FRACTION_DIGITS, FRACTION_BITS, PRECISION, DOUBLE_DIGITS,
  DEFAULT_DIGITS, WORK, Work, exceeded,
};
