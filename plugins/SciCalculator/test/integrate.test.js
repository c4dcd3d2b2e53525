'use strict';

const { test } = require('node:test');
const assert = require('node:assert');
const json = require('../json.js');
const { answer } = require('../commands.js');
const { integrate, RULE, MIDDLE } = require('../quadrature.js');

const ask = (args) => answer('Integrate', json.read(JSON.stringify(args)));

test('the rules are what they are called', () => {
  // A rule of Gauss with 7 places is right up to degree 13, the one of Kronrod around it up to degree 22.
  const weights = (longer) => (longer ? MIDDLE[0] : MIDDLE[1]);
  for (const [index, degree] of [[1, 22], [2, 13]]) {
    for (let k = 0; k <= degree; k += 2) {
      const middle = k === 0 ? weights(index === 1) : 0;
      const sum = RULE.reduce((s, row) => s + 2 * row[index] * row[0] ** k, middle);
      assert.ok(Math.abs(sum - 2 / (k + 1)) < 1e-15, `degree ${k} of rule ${index}: ${sum}`);
    }
  }
  const above = RULE.reduce((s, row) => s + 2 * row[1] * row[0] ** 24, 0);
  assert.ok(Math.abs(above - 2 / 25) > 1e-12, 'degree 24 is too much');
});

test('integrals that are known', () => {
  const tests = [
    [{ expression: 'x^5', from: 0, to: 2 }, 64 / 6],
    [{ expression: 'sin(x)', from: 0, to: 3.141592653589793 }, 2],
    [{ expression: 'exp(-x^2)', from: -100, to: 100 }, Math.sqrt(Math.PI)], // what underflows is zero here
    [{ expression: '1+exp(-x^2)', from: -100, to: 100 }, 200 + Math.sqrt(Math.PI)],
    [{ expression: '1/sqrt(x)', from: 0, to: 1 }, 2],
    [{ expression: 'ln(x)', from: 0, to: 1 }, -1],
    [{ expression: 'abs(x-1/3)', from: 0, to: 1 }, 5 / 18],
    [{ expression: 'floor(x)', from: 0, to: 10.5 }, 50],
    [{ expression: '1/(1+x^2)', from: -5, to: 5 }, 2 * Math.atan(5)],
    [{ expression: 'x^3', from: -1, to: 1 }, 0],
    [{ expression: 'cos(x)', from: 0, to: 90, angle: 'degrees' }, 180 / Math.PI],
    [{ expression: 'a^x', from: 0, to: 1, variables: { a: 4 } }, 3 / Math.log(4)],
    [{ expression: 'sin(100*x)^2', from: 0, to: 3.141592653589793 }, Math.PI / 2],
    [{ expression: '半径^2', variable: '半径', from: 1, to: 0 }, -1 / 3],
    [{ expression: '7', from: 2, to: 5 }, 21],
    [{ expression: '0', from: 2, to: 5 }, 0],
  ];
  for (const [args, want] of tests) {
    const { data, error } = ask(args);
    assert.strictEqual(error, undefined, JSON.stringify({ args, error }));
    const off = Math.abs(Number(data.value.text) - want);
    assert.ok(off <= 1e-9 * (1 + Math.abs(want)), `${JSON.stringify(args)}: ${data.value.text}, want ${want}`);
    assert.ok(off <= Number(data.errorEstimate.text) + 2e-15 * (1 + Math.abs(want)), `${JSON.stringify(args)}: off by ${off}, estimated ${data.errorEstimate.text}`);
  }
});

test('the tolerance decides about the work', () => {
  const evaluations = (tolerance) => ask({ expression: '1/sqrt(x)', from: 0, to: 1, tolerance }).data.evaluations;
  assert.ok(evaluations(0.01) < evaluations(1e-6) && evaluations(1e-6) < evaluations(1e-10));
});

test('what does not converge ends', () => {
  for (const f of [(x) => 1 / x, (x) => Math.sin(1 / x), () => Math.random()]) {
    const { converged, evaluations } = integrate(f, 0, 1, 1e-14);
    assert.ok(!converged && evaluations <= 30_000);
  }
});

test('refusals', () => {
  const tests = [
    [{ expression: '1/x', from: 0, to: 1 }, 'SCICALCULATOR.NOT_CONVERGED', '/expression'],
    [{ expression: '10^(10^x)', from: 0, to: 1000 }, 'SCICALCULATOR.OVERFLOW', '/expression'],
    [{ expression: 'y', from: 0, to: 1 }, 'SCICALCULATOR.UNKNOWN_NAME', '/expression'],
    [{ expression: `${'x+'.repeat(4500)}x`, from: 0, to: 1 }, undefined, undefined],
    [{ expression: `${'sin(1/x)+'.repeat(1000)}x`, from: 0, to: 1 }, 'SCICALCULATOR.LIMIT_EXCEEDED', '/expression'],
    [{ expression: 'x', variable: '1x', from: 0, to: 1 }, 'INVALID_ARGUMENT', '/variable'],
    [{ expression: 'x', variable: 'pi', from: 0, to: 1 }, 'INVALID_ARGUMENT', '/variable'],
    [{ expression: 'x', from: 0, to: 1, variables: { x: 1 } }, 'INVALID_ARGUMENT', '/variables/x'],
    [{ expression: 'x', from: 0, to: 1, tolerance: 1e-14 }, 'INVALID_ARGUMENT', '/tolerance'],
    [{ expression: 'x', from: 0 }, 'MISSING_ARGUMENT', '/to'],
  ];
  for (const [args, code, target] of tests) {
    const start = process.cpuUsage();
    const { error } = ask(args);
    const { user, system } = process.cpuUsage(start);
    assert.deepStrictEqual([error?.code, error?.target], [code, target], JSON.stringify(args).slice(0, 80));
    assert.ok(user + system < 5e6, `${user + system} µs`); // half of what a call may take
  }
  const wide = answer('Integrate', json.read('{"expression":"x","from":-1e400,"to":1}'));
  assert.deepStrictEqual([wide.error.code, wide.error.target], ['INVALID_ARGUMENT', '/from']);
});
