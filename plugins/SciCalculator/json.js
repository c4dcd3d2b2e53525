'use strict';
// JSON in and out with numbers as they are spelled.
//
// JSON.parse turns 9007199254740993 into 9007199254740992 before anybody sees it. This reader keeps the text
// of a number (NumberText) and makes a Map of an object, so that no member name can touch a prototype. It
// refuses what the protocol refuses: duplicate names, lone surrogates, too much depth, anything after the
// document. It never guesses.

class NumberText {
  constructor(text) {
    this.text = text;
  }
}

class JSONError extends Error {
  constructor(message, offset) {
    super(`${message} at character ${offset}`);
    this.offset = offset;
  }
}

const MAX_DEPTH = 1024;

const space = /[ \t\n\r]*/y;
const plain = /[^"\\\u0000-\u001f]*/y;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const hex4 = /[0-9a-fA-F]{4}/y;
const loneSurrogate = /[\uD800-\uDFFF]/u; // with the flag u, halves of a pair do not match

const escapes = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const words = [['true', true], ['false', false], ['null', null]];

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  fail(message) {
    throw new JSONError(message, this.at);
  }

  // take returns what a sticky pattern matches here, '' for nothing, and moves behind it.
  take(pattern) {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match === null) return '';
    this.at += match[0].length;
    return match[0];
  }

  // skip moves behind a character, and over the space after it; it reports whether the character stood here.
  skip(character) {
    if (this.text[this.at] !== character) return false;
    this.at++;
    this.take(space);
    return true;
  }

  value(depth) {
    if (depth > MAX_DEPTH) this.fail(`more than ${MAX_DEPTH} levels`);
    const first = this.text[this.at];
    if (first === '{') return this.object(depth);
    if (first === '[') return this.array(depth);
    if (first === '"') return this.string();
    for (const [word, value] of words) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    const text = this.take(number);
    if (text === '') this.fail('a value is expected');
    return new NumberText(text);
  }

  object(depth) {
    const members = new Map();
    this.skip('{');
    if (this.skip('}')) return members; // and skipped the space behind it, which does no harm
    for (;;) {
      if (this.text[this.at] !== '"') this.fail('a member name is expected');
      const start = this.at;
      const name = this.string();
      if (members.has(name)) throw new JSONError('a member name occurs twice', start);
      this.take(space);
      if (!this.skip(':')) this.fail('":" is expected');
      members.set(name, this.value(depth + 1));
      this.take(space);
      if (this.skip(',')) continue;
      if (this.text[this.at] !== '}') this.fail('"," or "}" is expected');
      this.at++;
      return members;
    }
  }

  array(depth) {
    const items = [];
    this.skip('[');
    if (this.skip(']')) return items;
    for (;;) {
      items.push(this.value(depth + 1));
      this.take(space);
      if (this.skip(',')) continue;
      if (this.text[this.at] !== ']') this.fail('"," or "]" is expected');
      this.at++;
      return items;
    }
  }

  string() {
    const start = this.at;
    this.at++;
    let out = '';
    for (;;) {
      out += this.take(plain);
      const c = this.text[this.at];
      if (c === '"') break;
      if (c !== '\\') this.fail('the string does not end');
      this.at++;
      out += this.escape();
    }
    this.at++;
    if (loneSurrogate.test(out)) throw new JSONError('half of a surrogate pair', start);
    return out;
  }

  escape() {
    const c = this.text[this.at];
    if (c === 'u') {
      this.at++;
      const digits = this.take(hex4);
      if (digits === '') this.fail('four hexadecimal digits are expected');
      return String.fromCharCode(parseInt(digits, 16));
    }
    if (c === undefined || !Object.hasOwn(escapes, c)) this.fail('an unknown escape');
    this.at++;
    return escapes[c];
  }
}

// read returns the one value of a JSON text, or throws a JSONError.
function read(text) {
  const r = new Reader(text);
  r.take(space);
  const value = r.value(0);
  r.take(space);
  if (r.at < text.length) r.fail('the document has ended');
  return value;
}

// write returns JSON text without space. A member that is undefined is left out; numbers are NumberText or
// integers that a double holds, everything else is a mistake of the caller.
function write(value) {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof NumberText) return value.text;
  if (Number.isSafeInteger(value)) return String(value);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (value instanceof Map) return members([...value]);
  if (typeof value === 'object') return members(Object.entries(value));
  throw new TypeError(`${typeof value} ${String(value)} cannot be written`);
}

function members(entries) {
  const present = entries.filter(([, v]) => v !== undefined);
  return `{${present.map(([name, v]) => `${JSON.stringify(name)}:${write(v)}`).join(',')}}`;
}

module.exports = { NumberText, JSONError, read, write };
