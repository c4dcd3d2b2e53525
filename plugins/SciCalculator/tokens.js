'use strict';
// Text of an expression -> tokens. A token is {kind, text, at}: at counts UTF-16 units, as strings do here.

const { code, Refusal } = require('./refusal.js');

const space = /[\s]+/y;
const number = /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const name = /[\p{L}_][\p{L}\p{Nd}_]*/uy;

// Signs that are written in several ways.
const signs = new Map([
  ['+', '+'], ['-', '-'], ['−', '-'], ['*', '*'], ['×', '*'], ['·', '*'], ['/', '/'], ['÷', '/'],
  ['%', '%'], ['^', '^'], ['!', '!'], ['(', '('], [')', ')'], [',', ','],
]);

function match(pattern, text, at) {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found === null ? '' : found[0];
}

function tokens(text) {
  const list = [];
  for (let at = 0; at < text.length; ) {
    const gap = match(space, text, at);
    at += gap.length;
    if (at === text.length) break;
    const token = next(text, at);
    list.push(token);
    at += token.length;
  }
  list.push({ kind: 'end', text: '', at: text.length, length: 0 });
  return list;
}

function next(text, at) {
  let found = match(number, text, at);
  if (found !== '') return { kind: 'number', text: found, at, length: found.length };
  found = match(name, text, at);
  if (found !== '') return { kind: 'name', text: found, at, length: found.length };
  if (text.startsWith('**', at)) return { kind: 'sign', text: '^', at, length: 2 };
  const character = String.fromCodePoint(text.codePointAt(at));
  const sign = signs.get(character);
  if (sign === undefined) {
    throw new Refusal(code.SYNTAX, `${JSON.stringify(character)} has no meaning in an expression`, { details: { at, found: character } });
  }
  return { kind: 'sign', text: sign, at, length: character.length };
}

module.exports = { tokens };
