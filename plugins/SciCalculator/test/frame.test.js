'use strict';

const { test } = require('node:test');
const assert = require('node:assert');
const json = require('../json.js');
const { FrameError, readCall, writeResult } = require('../frame.js');
const { answer } = require('../commands.js');

const id = 'ti_01K0000000000000000000000A';
const good = `{"vcp":"tool-call","version":"1.0","id":"${id}","payload":{"command":"Evaluate","arguments":{"expression":"1"},"context":{"source":"test"}}}`;

function changed(from, to) {
  assert.ok(good.includes(from), from);
  return good.replace(from, to);
}

test('a call is read', () => {
  const call = readCall(Buffer.from(` ${good}\r`));
  assert.deepStrictEqual([call.id, call.command, [...call.args]], [id, 'Evaluate', [['expression', '1']]]);
});

test('the request to end a call is no call', () => {
  assert.strictEqual(readCall(Buffer.from(`{"vcp":"tool-cancel","version":"1.0","id":"${id}","payload":{"reason":""}}`)), null);
});

test('what is no call is refused', () => {
  const tests = [
    ['', 'there is no frame on standard input'],
    ['hello', 'the frame is no JSON: a value is expected at character 0'],
    [good.slice(0, 80), 'the frame is no JSON: '],
    [good + good, 'the frame is no JSON: the document has ended at character '],
    ['[]', 'the frame is no object'],
    ['null', 'the frame is no object'],
    [`\ufeff${good}`, 'the frame is no JSON: a value is expected at character 0'],
    [changed('"version":"1.0"', '"version":"1.0","version":"1.0"'), 'the frame is no JSON: a member name occurs twice at character '],
    [changed('test', '\\ud800'), 'the frame is no JSON: half of a surrogate pair at character '],
    ['['.repeat(100_000), 'the frame is no JSON: more than 1024 levels at character 1025'],
    [changed('"version":"1.0"', '"version":"2.0"'), 'the frame has not version 1.0'],
    [changed('"version":"1.0"', '"version":1.0'), 'the frame has not version 1.0'],
    [changed('"tool-call"', '"tool-result"'), 'the frame is no tool-call'],
    [changed('"id":"ti_', '"id":"tr_'), 'the frame has no invocation id'],
    [changed('"command":"Evaluate"', '"command":null'), 'the payload has no command or no arguments'],
    [changed('{"expression":"1"}', '[]'), 'the payload has no command or no arguments'],
    [`{"vcp":"tool-call","version":"1.0","id":"${id}"}`, 'the payload has no command or no arguments'],
    ['{"__proto__":{"vcp":"tool-call"}}', 'the frame is no tool-call'],
  ];
  for (const [text, message] of tests) {
    assert.throws(() => readCall(Buffer.from(text)), (e) => {
      assert.ok(e instanceof FrameError, e.stack);
      assert.ok(e.message.startsWith(message), e.message);
      return true;
    });
  }
  for (const bytes of [[0xff], [0x22, 0xc3, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22]]) assert.throws(() => readCall(Buffer.from(bytes)), { message: 'the frame is not UTF-8' });
});

test('a result is one line', () => {
  const line = writeResult(id, answer('Evaluate', json.read('{"expression":"1+1\\n"}')));
  assert.strictEqual(line.indexOf('\n'), line.length - 1);
  assert.deepStrictEqual([...json.read(line).keys()], ['vcp', 'version', 'id', 'payload']);
});

test('arguments are judged before they are used', () => {
  const tests = [
    ['Divine', '{}', 'UNKNOWN_COMMAND', null],
    ['constructor', '{}', 'UNKNOWN_COMMAND', null],
    ['Evaluate', '{}', 'MISSING_ARGUMENT', '/expression'],
    ['Evaluate', '{"expression":""}', 'INVALID_ARGUMENT', '/expression'],
    ['Evaluate', '{"expression":1}', 'INVALID_ARGUMENT', '/expression'],
    ['Evaluate', '{"expression":"1","a/b~":1}', 'INVALID_ARGUMENT', '/a~1b~0'],
    ['Evaluate', '{"expression":"1","angle":"grad"}', 'INVALID_ARGUMENT', '/angle'],
    ['Evaluate', '{"expression":"1","precision":0}', 'INVALID_ARGUMENT', '/precision'],
    ['Evaluate', '{"expression":"1","precision":501}', 'INVALID_ARGUMENT', '/precision'],
    ['Evaluate', '{"expression":"1","precision":1.5}', 'INVALID_ARGUMENT', '/precision'],
    ['Evaluate', '{"expression":"1","precision":1.0}', undefined, undefined],
    ['Evaluate', '{"expression":"1","variables":[]}', 'INVALID_ARGUMENT', '/variables'],
    ['Evaluate', '{"expression":"1","variables":{"1a":1}}', 'INVALID_ARGUMENT', '/variables/1a'],
    ['Evaluate', '{"expression":"1","variables":{"sin":1}}', 'INVALID_ARGUMENT', '/variables/sin'],
    ['Evaluate', '{"expression":"1","variables":{"a":"1"}}', 'INVALID_ARGUMENT', '/variables/a'],
    ['Convert', '{"value":"1","from":"m","to":"km"}', 'INVALID_ARGUMENT', '/value'],
    ['Convert', '{"value":1,"from":"m"}', 'MISSING_ARGUMENT', '/to'],
    ['Convert', '{"value":1,"from":null,"to":"km"}', 'INVALID_ARGUMENT', '/from'],
    ['Statistics', '{"values":null}', 'INVALID_ARGUMENT', '/values'],
    ['Statistics', '{"values":[]}', 'INVALID_ARGUMENT', '/values'],
    ['Statistics', '{"values":[1,"2"]}', 'INVALID_ARGUMENT', '/values/1'],
    ['Statistics', '{"values":[1],"quantiles":[0,-0.1]}', 'INVALID_ARGUMENT', '/quantiles/1'],
    ['Statistics', '{"values":[1],"quantiles":[1.1]}', 'INVALID_ARGUMENT', '/quantiles/0'],
  ];
  for (const [command, text, code, target] of tests) {
    const { error } = answer(command, json.read(text));
    assert.deepStrictEqual([error?.code, error?.target], [code, target], `${command} ${text}`);
  }
});
