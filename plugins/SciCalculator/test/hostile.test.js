'use strict';
// Whatever an expression is, the answer comes soon, and it is a payload. Time is counted as the processor counts
// it, so that a busy machine changes nothing.

const { test } = require('node:test');
const assert = require('node:assert');
const json = require('../json.js');
const { answer } = require('../commands.js');

const BOUND = 5e6; // microseconds: half of what a call may take; here it takes half a second at most
const wide = '9'.repeat(9_990);
const decimals = `1.${'37'.repeat(480)}`;

// ask runs a command and returns the status or the code.
function ask(command, text) {
  const start = process.cpuUsage();
  const payload = answer(command, json.read(text));
  const line = json.write(payload);
  const { user, system } = process.cpuUsage(start);
  json.read(line); // it is JSON
  return { outcome: payload.error?.code ?? payload.status, time: user + system };
}

const evaluate = (expression, more = '') => ['Evaluate', `{"expression":${JSON.stringify(expression)}${more}}`];
const variables = (value) => `,"variables":{"a":${value},"b":${value}}`;
const fill = (piece, end = '1') => piece.repeat(Math.floor(9_000 / piece.length)) + end;

const tests = [
  ['1000 parentheses', evaluate('('.repeat(1000) + '1' + ')'.repeat(1000)), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['9000 open parentheses', evaluate('('.repeat(9000)), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['9000 signs', evaluate('-'.repeat(9000) + '1'), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['nested functions', evaluate(fill('sin(')), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['a tower of powers', evaluate('10^10^10'), 'SCICALCULATOR.OVERFLOW'],
  ['a long tower', evaluate(fill('9^', '9')), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['powers from left to right', evaluate('((((((2^9)^9)^9)^9)^9)^9)'), 'SCICALCULATOR.OVERFLOW'],
  ['factorial of a billion', evaluate('factorial(1e9)'), 'SCICALCULATOR.OVERFLOW'],
  ['factorials of factorials', evaluate('3!!!!!!'), 'SCICALCULATOR.OVERFLOW'],
  ['9000 factorials', evaluate('1' + '!'.repeat(9000)), 'success'],
  ['many factorials', evaluate(fill('3248!-3248!+')), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['a sum of 4500 terms', evaluate(fill('1+')), 'success'],
  ['a sum of fractions', evaluate(fill('1/3+1/7-1/11+1/13+')), 'success'],
  ['growing denominators', evaluate(Array.from({ length: 900 }, (_, i) => `1/${i + 1000}`).join('+')), 'success'],
  ['an expression of 1 MB', evaluate('1+'.repeat(500_000) + '1'), 'INVALID_ARGUMENT'],
  ['a million emoji', evaluate('😀'.repeat(1_000_000)), 'INVALID_ARGUMENT'],
  ['a number of 10000 digits', evaluate(wide), 'success'],
  ['9000 points', evaluate('.'.repeat(9000)), 'SCICALCULATOR.SYNTAX_ERROR'],
  ['9000 spaces', evaluate(' '.repeat(9000)), 'SCICALCULATOR.SYNTAX_ERROR'],
  ['a name of 9000 letters', evaluate('a'.repeat(9000)), 'SCICALCULATOR.UNKNOWN_NAME'],
  ['4500 arguments', evaluate(`max(${fill('1,')})`), 'success'],
  ['exponent of a literal', evaluate('1e999999999999999999'), 'SCICALCULATOR.OVERFLOW'],
  ['exponent of a small literal', evaluate('1e-999999999999999999'), 'SCICALCULATOR.UNDERFLOW'],
  ['zeros in a number', evaluate('0'.repeat(9000)), 'success'],
  ['zeros at the end', evaluate('1' + '0'.repeat(9000)), 'success'],
  ['wide remainders', evaluate(fill('a%b+'), variables(wide)), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['wide products', evaluate(fill('a*0+'), variables(wide)), 'success'],
  ['wide common divisors', evaluate(fill('gcd(a,b-1)+'), variables(wide)), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['wide common multiples', evaluate(fill('lcm(a,b-1)+'), variables('9'.repeat(1000))), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['wide roots', evaluate(fill('sqrt(a)*0+'), variables('7'.repeat(300))), 'success'],
  ['wide roots that overflow', evaluate(fill('sqrt(a)*0+'), variables(wide)), 'SCICALCULATOR.OVERFLOW'],
  ['wide fractions', evaluate(fill('a/b+b/a-'), variables(wide)), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['long decimals', evaluate(fill('(a+b/7)+'), variables(decimals)), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['products of decimals', evaluate(fill('a*b/3+'), variables(decimals)), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['wide sums', evaluate(fill('a+b-'), variables(wide)), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['a few wide sums', evaluate('a+b-'.repeat(100) + '1', variables(wide)), 'success'],
  ['wide maxima', evaluate(`max(${fill('a,b,')})`, variables(decimals)), 'success'],
  ['wide sines', evaluate(fill('sin(a)+'), ',"angle":"degrees"' + variables(wide)), 'success'],
  ['wide logarithms', evaluate(fill('log(a,7)+'), variables(wide)), 'success'],
  ['wide powers', evaluate(fill('3^20000%7+')), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['powers of fractions', evaluate(fill('(3/7)^1000+')), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['a variable beyond the limits', evaluate('a', variables('1e100000')), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['100 wide variables', evaluate('a', `,"variables":{${Array.from({ length: 99 }, (_, i) => `"v${i}":${wide}`).join()},"a":1}`), 'success'],
  ['a variable of a million digits', evaluate('a', variables('1'.repeat(1_000_000))), 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['names of objects', evaluate('constructor+__proto__'), 'SCICALCULATOR.UNKNOWN_NAME'],
  ['calls of objects', evaluate('toString()'), 'SCICALCULATOR.UNKNOWN_NAME'],
  ['a command of an object', ['constructor', '{}'], 'UNKNOWN_COMMAND'],
  ['a unit of 1 MB', ['Convert', `{"value":1,"from":"${'s'.repeat(1_000_000)}","to":"m"}`], 'INVALID_ARGUMENT'],
  ['a unit of an object', ['Convert', '{"value":1,"from":"constructor","to":"m"}'], 'SCICALCULATOR.UNKNOWN_UNIT'],
  ['a wide quantity', ['Convert', `{"value":${wide},"from":"deg","to":"rad","precision":500}`], 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['a huge quantity', ['Convert', '{"value":1e999999,"from":"m","to":"km"}'], 'SCICALCULATOR.LIMIT_EXCEEDED'],
  ['10000 values', ['Statistics', `{"values":[${Array.from({ length: 10_000 }, (_, i) => `${i}.${'123456789'.repeat(30)}e${i % 100}`).join()}]}`], 'success'],
  ['10001 values', ['Statistics', `{"values":[${fill('1,')}${'1,'.repeat(5500)}1]}`], 'INVALID_ARGUMENT'],
  ['values of all sizes', ['Statistics', `{"values":[${Array.from({ length: 10_000 }, (_, i) => `1e${(i % 600) - 300}`).join()}]}`], 'success'],
  ['a huge value', ['Statistics', '{"values":[1,1e9999]}'], 'SCICALCULATOR.LIMIT_EXCEEDED'],
];

for (const [name, [command, text], want] of tests) {
  test(name, () => {
    const { outcome, time } = ask(command, text);
    assert.strictEqual(outcome, want);
    assert.ok(time < BOUND, `${time / 1000} ms of processor time`);
  });
}
