'use strict';
// Convert: a number with a unit -> the same quantity in another unit.
//
//   result = value × factor + offset      the offset is there between scales of temperature only

const exact = require('./exact.js');
const { Arguments } = require('./args.js');
const { format } = require('./digits.js');
const { NumberText } = require('./json.js');
const { pi } = require('./pi.js');
const { short } = require('./summary.js');
const { find, sizeOf } = require('./units.js');
const { code, Refusal } = require('./refusal.js');
const limits = require('./limits.js');

const MAX_UNIT = 64;
const SPARE = 10; // decimals of pi beyond the digits of the result

function convert(members) {
  const args = new Arguments(members, ['value', 'from', 'to', 'precision']);
  const value = args.number('value');
  const from = find(args.text('from', MAX_UNIT), '/from');
  const to = find(args.text('to', MAX_UNIT), '/to');
  const precision = args.precision();
  if (from.dimension !== to.dimension) {
    throw new Refusal(code.INCOMPATIBLE_UNITS, `${from.symbol} is a unit of ${from.dimension}, ${to.symbol} of ${to.dimension}`, {
      target: '/to', details: { from: { unit: from.symbol, dimension: from.dimension }, to: { unit: to.symbol, dimension: to.dimension } },
    });
  }
  const conversion = conversionOf(from, to, precision, new limits.Work());
  const result = conversion.apply(value);
  const digits = precision ?? (conversion.rational ? undefined : limits.DEFAULT_DIGITS);
  const number = (v) => new NumberText(format(v, digits).text);
  const { text, exact: ends } = format(result, digits);
  const same = ends && conversion.rational;
  const given = args.members.get('value');
  return {
    data: {
      input: { value: given, unit: from.symbol },
      result: { value: new NumberText(text), unit: to.symbol },
      factor: number(conversion.factor),
      offset: conversion.offset && number(conversion.offset),
      dimension: from.dimension,
      exact: same,
    },
    summary: `${short(given.text)} ${from.symbol} ${same ? '=' : '≈'} ${short(text)} ${to.symbol}`,
  };
}

// conversionOf is {factor, offset?, rational, apply}. It is not rational when pi is left in the factor.
function conversionOf(from, to, precision, work) {
  const [a, b] = [sizeOf(from), sizeOf(to)];
  let factor = exact.divide(a.size, b.size, work);
  if (a.overPi !== b.overPi) {
    const decimals = (precision ?? limits.DEFAULT_DIGITS) + SPARE;
    factor = a.overPi ? exact.divide(factor, pi(decimals), work) : exact.multiply(factor, pi(decimals), work);
  }
  const rational = a.overPi === b.overPi;
  if (from.dimension !== 'temperature') return { factor, rational, apply: (v) => narrow(exact.multiply(v, factor, work)) };
  const [start, end] = [from, to].map(({ zero }) => (zero === undefined ? exact.ZERO : exact.parse(zero)));
  const apply = (v) => {
    const above = narrow(exact.add(v, start, work));
    if (above.n < 0n) throw new Refusal(code.DOMAIN, 'there is no temperature below absolute zero', { target: '/value' });
    return narrow(exact.subtract(narrow(exact.multiply(above, factor, work)), end, work));
  };
  return { factor, offset: exact.subtract(exact.multiply(start, factor, work), end, work), rational, apply };
}

// narrow refuses what became wider than exact numbers may be.
function narrow(v) {
  if (v === null) throw limits.exceeded('digits', limits.FRACTION_DIGITS, 'the result has too many digits').at('/value', {});
  return v;
}

module.exports = { run: convert };
