'use strict';

const { test } = require('node:test');
const assert = require('node:assert');
const { NumberText, JSONError, read, write } = require('../json.js');

test('numbers keep their text', () => {
  for (const text of ['9007199254740993', '-0', '1.0', '1E+400', '0.1e-7', '123456789012345678901234567890']) {
    const value = read(text);
    assert.ok(value instanceof NumberText);
    assert.strictEqual(value.text, text);
    assert.strictEqual(write(value), text);
  }
});

test('what is read is written as it was, without space', () => {
  const tests = [
    ['{"a":1,"b":[true,false,null,"x"],"c":{}}'],
    ['{"__proto__":1,"constructor":{"prototype":[]}}'],
    [' { "a" : [ 1 , 2 ] , "b" : [ ] , "c" : { } } \n', '{"a":[1,2],"b":[],"c":{}}'],
    ['"\\u00e9\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\\"\\\\"', '"é😀/\\b\\f\\n\\r\\t\\"\\\\"'],
    ['"<b>&\\u2028"', '"<b>&\u2028"'],
    ['""'],
    ['[[[]]]'],
  ];
  for (const [text, want = text] of tests) assert.strictEqual(write(read(text)), want);
});

test('what is no JSON is refused, with its place', () => {
  const tests = [
    ['', 0], ['{', 1], ['[1,]', 3], ['{"a":1,}', 7], ['{"a"}', 4], ['{a:1}', 1], ["'a'", 0], ['01', 1], ['1.', 1], ['.5', 0], ['+1', 0], ['1e', 1],
    ['NaN', 0], ['Infinity', 0], ['tru', 0], ['"a', 2], ['"\\x"', 2], ['"\\u12"', 3], ['"\n"', 1], ['1 2', 2], ['[1 2]', 3], ['\ufeff1', 0],
    ['{"a":1,"\\u0061":2}', 7], ['"\\ud800"', 0], ['"\\ude00\\ud83d"', 0], ['[1]x', 3], ['{} []', 3],
  ];
  for (const [text, offset] of tests) {
    assert.throws(() => read(text), (e) => {
      assert.ok(e instanceof JSONError, `${text}: ${e.stack}`);
      assert.strictEqual(e.offset, offset, `${JSON.stringify(text)}: ${e.message}`);
      return true;
    });
  }
});

test('depth is limited', () => {
  const nested = (n) => '['.repeat(n) + ']'.repeat(n);
  assert.ok(Array.isArray(read(nested(1025))));
  assert.throws(() => read(nested(1026)), JSONError);
});

test('the reader agrees with JSON.parse', () => {
  // Documents made of pieces that are valid or nearly so: a fixed sequence, every one judged by both.
  const pieces = ['{', '}', '[', ']', ',', ':', '"a"', '"b\\n"', '1', '-2.5e3', 'true', 'null', ' ', '"\\u0041"', '0', '"'];
  let state = 12345;
  const next = (n) => (state = (state * 48271) % 2147483647) % n;
  let valid = 0;
  for (let i = 0; i < 200_000; i++) {
    let text = '';
    for (let k = next(7); k >= 0; k--) text += pieces[next(pieces.length)];
    let want = true;
    try {
      JSON.parse(text);
    } catch {
      want = false;
    }
    let got = true;
    try {
      read(text);
    } catch (e) {
      if (!(e instanceof JSONError)) throw e;
      if (/occurs twice/.test(e.message)) continue; // JSON.parse takes duplicates
      got = false;
    }
    assert.strictEqual(got, want, JSON.stringify(text));
    if (want) valid++;
  }
  assert.ok(valid > 10_000, `only ${valid} documents were valid`);
});

test('what is no JSON value cannot be written', () => {
  for (const value of [undefined, 0.5, NaN, Infinity, 2 ** 53, 1n, () => 1]) assert.throws(() => write(value), TypeError);
  assert.strictEqual(write({ a: undefined, b: 1 }), '{"b":1}');
});
