'use strict';
// The arguments of a call, taken one by one. The core has judged them by the input schema before; the program
// checks again what it relies on, because it must not break whoever starts it.

const exact = require('./exact.js');
const { NumberText } = require('./json.js');
const { code, Refusal } = require('./refusal.js');
const limits = require('./limits.js');

class Arguments {
  constructor(members, allowed) {
    this.members = members;
    for (const name of members.keys()) {
      if (name !== 'command' && !allowed.includes(name)) throw invalid(`/${token(name)}`, 'unknown argument');
    }
  }

  required(name) {
    const value = this.members.get(name);
    if (value === undefined) throw new Refusal(code.MISSING_ARGUMENT, `argument "${name}" is missing`, { target: `/${name}` });
    return value;
  }

  has(name) {
    return this.members.has(name);
  }

  // text is a required string of so many characters.
  text(name, max) {
    const value = this.required(name);
    // A character is two units at most, so that a huge text is not taken apart.
    if (typeof value !== 'string' || value === '' || value.length > 2 * max || [...value].length > max) {
      throw invalid(`/${name}`, `expected a text of 1 to ${max} characters`);
    }
    return value;
  }

  // choice is one of a few words, the first of them when it is absent.
  choice(name, words) {
    const value = this.members.get(name) ?? words[0];
    if (!words.includes(value)) throw invalid(`/${name}`, `expected one of ${words.join(', ')}`);
    return value;
  }

  number(name) {
    return number(this.required(name), `/${name}`);
  }

  // name is the name of a variable.
  name(name, taken) {
    const value = this.text(name, 64);
    checkName(value, `/${name}`, taken);
    return value;
  }

  // precision is the number of significant digits, undefined when absent.
  precision() {
    if (!this.has('precision')) return undefined;
    const value = number(this.members.get('precision'), '/precision');
    if (!value.isInteger || value.n < 1n || value.n > limits.PRECISION) {
      throw invalid('/precision', `expected an integer from 1 to ${limits.PRECISION}`);
    }
    return Number(value.n);
  }

  // list is an array of numbers.
  list(name, max) {
    const value = this.required(name);
    if (!Array.isArray(value) || value.length === 0 || value.length > max) throw invalid(`/${name}`, `expected an array of 1 to ${max} numbers`);
    return value.map((v, i) => number(v, `/${name}/${i}`));
  }

  // variables are numbers by name.
  variables(taken) {
    const values = this.members.get('variables') ?? new Map();
    if (!(values instanceof Map) || values.size > MAX_VARIABLES) throw invalid('/variables', `expected an object of ${MAX_VARIABLES} numbers at most`);
    const found = new Map();
    for (const [name, value] of values) {
      const target = `/variables/${token(name)}`;
      checkName(name, target, taken);
      found.set(name, number(value, target));
    }
    return found;
  }
}

const MAX_VARIABLES = 100;

// checkName wants a name that an expression can use and that means nothing yet.
function checkName(name, target, taken) {
  if (!/^[\p{L}_][\p{L}\p{Nd}_]{0,63}$/u.test(name)) throw invalid(target, 'expected a name of letters, digits and _');
  if (taken(name)) throw invalid(target, `"${name}" is the name of a function or a constant`);
}

const token = (name) => name.replace(/~/g, '~0').replace(/\//g, '~1');

// named is how a message calls an argument: by its name, or by its place when it stands inside of one.
const named = (target) => `argument ${JSON.stringify(target.lastIndexOf('/') === 0 ? target.slice(1) : target)}`;

function invalid(target, message) {
  return new Refusal(code.INVALID_ARGUMENT, `${named(target)}: ${message}`, { target });
}

// number is an exact number as an argument.
function number(value, target) {
  if (!(value instanceof NumberText)) throw invalid(target, 'expected a number');
  const parsed = exact.parse(value.text);
  if (parsed === null) {
    throw new Refusal(code.LIMIT, `${named(target)}: more than ${limits.DIGITS} digits, or ${limits.FRACTION_DIGITS} decimals`, {
      target, details: { limit: 'digits', max: limits.DIGITS },
    });
  }
  return parsed;
}

module.exports = { Arguments, invalid, token };
