'use strict';
// Numbers as text that is also a JSON number: whole where it ends, rounded to significant digits where not.
// Halves are rounded away from zero.

const { Exact, abs, factors } = require('./exact.js');
const { DIGITS, DOUBLE_DIGITS, DEFAULT_DIGITS } = require('./limits.js');

// format gives the text of a number, and whether it is the number itself. Without a precision an exact
// number is written whole if it can be, everything else with limits.DEFAULT_DIGITS significant digits.
function format(value, precision) {
  if (value instanceof Exact) {
    return whole(value, precision ?? DIGITS) ?? { text: rounded(value, precision ?? DEFAULT_DIGITS), exact: false };
  }
  const [mantissa, exponent] = value.toExponential(Math.min(precision ?? DEFAULT_DIGITS, DOUBLE_DIGITS) - 1).split('e');
  return { text: layout(mantissa.replace('-', '').replace('.', ''), Number(exponent), value < 0), exact: false };
}

// whole writes a number out, null when its digits do not end or are more than max.
function whole(value, max) {
  const fives = factors(value.d, 5n);
  const twos = factors(value.d, 2n);
  if (5n ** BigInt(fives) * 2n ** BigInt(twos) !== value.d) return null;
  const k = Math.max(fives, twos);
  const all = ((abs(value.n) * 10n ** BigInt(k)) / value.d).toString();
  const significant = trimmed(all);
  if (significant.length > max) return null;
  if (k === 0) return { text: (value.n < 0n ? '-' : '') + all, exact: true };
  return { text: layout(significant, all.length - 1 - k, value.n < 0n, true), exact: true };
}

// rounded gives so many significant digits of a number that is not zero.
function rounded(value, count) {
  const n = abs(value.n);
  let exponent = n.toString().length - value.d.toString().length;
  if (n * (exponent < 0 ? 10n ** BigInt(-exponent) : 1n) < value.d * (exponent > 0 ? 10n ** BigInt(exponent) : 1n)) exponent--;
  const shift = count - 1 - exponent;
  const [a, b] = shift >= 0 ? [n * 10n ** BigInt(shift), value.d] : [n, value.d * 10n ** BigInt(-shift)];
  let digits = ((2n * a + b) / (2n * b)).toString();
  if (digits.length > count) {
    digits = digits.slice(0, count);
    exponent++;
  }
  return layout(digits, exponent, value.n < 0n);
}

// trimmed cuts zeros at the end. A pattern such as /0+$/ would take time with the square of the length.
function trimmed(digits) {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

// layout puts the point into significant digits: d.ddd times ten to the exponent. Between 1e-7 and 1e21, and
// above when plain is set, there is no exponent.
function layout(digits, exponent, negative, plain = false) {
  digits = trimmed(digits) || '0';
  if (digits === '0') return '0';
  const sign = negative ? '-' : '';
  if (exponent < -7 || (exponent >= 21 && !plain)) {
    return `${sign}${digits[0]}${digits.length > 1 ? '.' : ''}${digits.slice(1)}e${exponent}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const point = exponent + 1;
  if (digits.length <= point) return sign + digits.padEnd(point, '0');
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

module.exports = { format };
