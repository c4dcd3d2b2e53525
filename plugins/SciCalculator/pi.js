'use strict';
// Pi to as many digits as wanted, by Machin's formula: pi = 16 arctan(1/5) - 4 arctan(1/239).

const { Exact } = require('./exact.js');

const SPARE = 10; // digits for the rounding of the terms

// pi is a fraction that differs from pi by less than a unit of the decimal asked for.
function pi(decimals) {
  const scale = 10n ** BigInt(decimals + SPARE);
  const scaled = 16n * arctanOfInverse(5n, scale) - 4n * arctanOfInverse(239n, scale);
  return new Exact(scaled / 10n ** BigInt(SPARE), 10n ** BigInt(decimals));
}

function arctanOfInverse(x, scale) {
  let power = scale / x;
  let sum = power;
  for (let k = 3n, sign = -1n; power > 0n; k += 2n, sign = -sign) {
    power /= x * x;
    sum += (sign * power) / k;
  }
  return sum;
}

module.exports = { pi };
