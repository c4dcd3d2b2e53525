'use strict';

const { test } = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const json = require('../json.js');
const units = require('../units.js');
const { functions, constants } = require('../functions.js');
const { answer } = require('../commands.js');

const manifest = JSON.parse(fs.readFileSync(path.join(__dirname, '..', 'plugin-manifest.json'), 'utf8'));
const commands = manifest.capabilities.invocationCommands;
const ask = (command, args) => answer(command, json.read(JSON.stringify(args)));

test('the manifest lists the commands, the units and the functions', () => {
  const { error } = ask('', {});
  assert.deepStrictEqual(error.details.commands, commands.map((c) => c.commandIdentifier));
  const words = (command, argument) => commands.find((c) => c.commandIdentifier === command).inputSchema.properties[argument].description.split(/[\s;:,.()]+/);
  const listed = new Set(words('Convert', 'from'));
  for (const [dimension, symbols] of units.symbols()) {
    for (const word of [dimension, ...symbols]) assert.ok(listed.has(word), `Convert does not list ${word}`);
  }
  const known = new Set(words('Evaluate', 'expression'));
  for (const name of [...functions.keys(), ...constants.keys()]) {
    if (!/[^a-z0-9]/.test(name)) assert.ok(known.has(name), `Evaluate does not list ${name}`);
  }
});

test('examples succeed', () => {
  for (const { commandIdentifier, examples } of commands) {
    for (const example of examples) assert.strictEqual(ask(commandIdentifier, example).status, 'success', JSON.stringify(example));
  }
});

test('a refusal has a code of the manifest', () => {
  const source = fs.readFileSync(path.join(__dirname, '..', 'refusal.js'), 'utf8');
  const declared = new Set(commands.flatMap((c) => c.errorCodes));
  for (const [, code] of source.matchAll(/'(SCICALCULATOR\.[A-Z_]+)'/g)) assert.ok(declared.has(code), code);
});

test('every unit there and back', () => {
  for (const [, symbols] of units.symbols()) {
    for (const symbol of symbols) {
      const there = ask('Convert', { value: 7.25, from: symbol, to: symbols[0], precision: 60 });
      assert.strictEqual(there.status, 'success', symbol);
      const back = answer('Convert', new Map([['value', there.data.result.value], ['from', symbols[0]], ['to', symbol], ['precision', new json.NumberText('40')]]));
      assert.strictEqual(back.data.result.value.text, '7.25', symbol);
    }
  }
});

test('units by definition', () => {
  const tests = [
    [1, 'in', 'cm', '2.54'], [1, 'mi', 'ft', '5280'], [1, 'nmi', 'm', '1852'], [1, 'yd', 'ft', '3'], [1, 'lb', 'oz', '16'], [1, 'st', 'lb', '14'], [1, 'lb', 'gr', '7000'], [1, 'ozt', 'gr', '480'],
    [1, 'ton-us', 'lb', '2000'], [1, 'ton-uk', 'lb', '2240'], [1, 'wk', 'd', '7'], [1, 'yr', 'd', '365.25'], [1, 'mph', 'mi/h', '1'], [1, 'kn', 'km/h', '1.852'], [1, 'ac', 'ft2', '43560'],
    [1, 'mi2', 'ac', '640'], [1, 'ha', 'm2', '10000'], [1, 'gal', 'in3', '231'], [1, 'gal', 'qt', '4'], [1, 'qt', 'pt', '2'], [1, 'pt', 'cup', '2'], [1, 'cup', 'floz', '8'], [1, 'floz', 'tbsp', '2'],
    [1, 'tbsp', 'tsp', '3'], [1, 'gal-uk', 'pt-uk', '8'], [1, 'pt-uk', 'floz-uk', '20'], [1, 'yd3', 'ft3', '27'], [1, 'atm', 'Torr', '760'], [1, 'bar', 'kPa', '100'], [1, 'inHg', 'mmHg', '25.4'],
    [1, 'kcal', 'J', '4184'], [1, 'GiB', 'B', '1073741824'], [1, 'turn', 'deg', '360'], [1, 'turn', 'grad', '400'], [1, 'deg', 'arcsec', '3600'], [32, '°F', '°C', '0'], [212, 'f', 'c', '100', '°C'],
    [0, 'K', '°R', '0'], [1, 'ly', 'km', '9460730472580.8'], [1, 'kgf', 'N', '9.80665'], [1, 'hp', 'W', '745.69987158227022'],
  ];
  for (const [value, from, to, want] of tests) {
    const payload = ask('Convert', { value, from, to });
    if (from === 'f') {
      assert.strictEqual(payload.error.code, 'SCICALCULATOR.INCOMPATIBLE_UNITS', 'c is the speed of light, C is Celsius');
      continue;
    }
    assert.deepStrictEqual([payload.data?.result.value.text, payload.data?.exact], [want, true], `${from} in ${to}`);
  }
});

test('temperatures by letter', () => {
  assert.strictEqual(ask('Convert', { value: 212, from: 'F', to: 'C' }).data.result.value.text, '100');
});

test('statistics agree with their definitions', () => {
  let state = 7;
  const next = () => (state = (state * 48271) % 2147483647) / 2147483647;
  for (let round = 0; round < 50; round++) {
    const values = Array.from({ length: 1 + (round % 17) }, () => Number((next() * 200 - 100).toFixed(round % 5)));
    const { data } = ask('Statistics', { values, quantiles: [0.1, 0.9] });
    const close = (got, want, what) => assert.ok(Math.abs(Number(got.text) - want) <= 1e-9 * (1 + Math.abs(want)), `${what}: ${got.text}, ${want}: ${values}`);
    const sorted = values.toSorted ? values.toSorted((a, b) => a - b) : [...values].sort((a, b) => a - b);
    const sum = values.reduce((a, b) => a + b);
    const mean = sum / values.length;
    const spread = values.reduce((s, v) => s + (v - mean) ** 2, 0);
    const quantile = (p) => {
      const at = p * (sorted.length - 1);
      const low = Math.floor(at);
      return sorted[low] + (at - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
    };
    assert.strictEqual(data.count, values.length);
    close(data.sum, sum, 'sum');
    close(data.mean, mean, 'mean');
    close(data.median, quantile(0.5), 'median');
    close(data.min, sorted[0], 'min');
    close(data.max, sorted.at(-1), 'max');
    close(data.range, sorted.at(-1) - sorted[0], 'range');
    close(data.variance.population, spread / values.length, 'variance');
    close(data.standardDeviation.population, Math.sqrt(spread / values.length), 'deviation');
    if (values.length > 1) {
      close(data.variance.sample, spread / (values.length - 1), 'sample variance');
      close(data.standardDeviation.sample, Math.sqrt(spread / (values.length - 1)), 'sample deviation');
    }
    data.quantiles.forEach((q, i) => close(q.value, quantile([0.1, 0.9][i]), 'quantile'));
  }
});

test('roots have all the digits that are asked for', () => {
  for (const [values, want] of [[[1, 2], '0.70710678118654752440084436210484903928484'], [[1e-9, 3e-9, 4e-9], '1.527525231651946668862682397909336e-9'], [[0, 2e12], '1414213562373.0950488016887242']]) {
    const digits = want.replace(/^0\.|e.*|\./g, '').length;
    assert.strictEqual(ask('Statistics', { values, precision: digits }).data.standardDeviation.sample.text, want);
  }
});

test('nothing is colder than absolute zero', () => {
  for (const [value, from] of [[-0.1, 'K'], [-273.16, '°C'], [-459.68, '°F']]) {
    assert.strictEqual(ask('Convert', { value, from, to: 'K' }).error.code, 'SCICALCULATOR.DOMAIN_ERROR');
  }
});

test('summaries are one short line', () => {
  const summary = (command, args) => ask(command, args).presentation.summary;
  assert.strictEqual(summary('Evaluate', { expression: ' 2 +\n\t3 ' }), '2 + 3 = 5');
  assert.strictEqual(summary('Evaluate', { expression: '1/3', precision: 3 }), '1/3 ≈ 0.333');
  assert.strictEqual([...summary('Evaluate', { expression: `${'1+'.repeat(999)}10^999` })].length, 80 + 3 + 80);
  assert.strictEqual(summary('Convert', { value: 26.2, from: 'mi', to: 'km' }), '26.2 mi = 42.1648128 km');
  assert.strictEqual(summary('Convert', { value: 1, from: 'm', to: 'ft', precision: 3 }), '1 m ≈ 3.28 ft');
  assert.strictEqual(summary('Statistics', { values: [1, 2] }), '2 values, mean 1.5');
});

test('digits beyond a double are not pretended', () => {
  const { data, warnings } = ask('Evaluate', { expression: 'sin(1)', precision: 30 });
  assert.strictEqual(data.text, '0.8414709848078965');
  assert.deepStrictEqual(warnings.map((w) => [w.code, w.target, w.details]), [['SCICALCULATOR.PRECISION_LIMITED', '/precision', { requested: 30, delivered: 17 }]]);
  assert.deepStrictEqual(ask('Evaluate', { expression: '1/7', precision: 30 }).warnings, []);
});

test('a mistake of the program is an answer, too', (t) => {
  t.mock.method(console, 'error', () => {});
  const { error } = answer('Evaluate', null); // no arguments at all: frame.js never lets that pass
  assert.strictEqual(error.code, 'INTERNAL_ERROR');
  assert.strictEqual(console.error.mock.callCount(), 1);
});
