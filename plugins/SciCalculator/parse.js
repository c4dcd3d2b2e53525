'use strict';
// Tokens -> a tree, by operator precedence (Pratt). Nothing is evaluated, and no name is looked up.
//
//   sum       a + b, a - b           left to right
//   product   a * b, a / b, a % b    left to right
//   sign      -a, +a                 below the power: -2^2 is -4
//   power     a ^ b                  right to left: 2^3^2 is 2^9; the exponent may have a sign
//   factorial a!                     above the power
//
// A node is {kind, at} with: number {text} · name {name} · call {name, args} · binary {op, left, right} ·
// negative {operand} · factorial {left}. Two values side by side are a mistake, never a product.

const { code, Refusal } = require('./refusal.js');
const { tokens } = require('./tokens.js');
const limits = require('./limits.js');

const SIGN = 30;
const binary = new Map([
  ['+', { left: 10, right: 11 }],
  ['-', { left: 10, right: 11 }],
  ['*', { left: 20, right: 21 }],
  ['/', { left: 20, right: 21 }],
  ['%', { left: 20, right: 21 }],
  ['^', { left: 40, right: 40 }],
]);

class Parser {
  constructor(text) {
    this.list = tokens(text);
    this.index = 0;
    this.depth = 0;
  }

  get token() {
    return this.list[this.index];
  }

  is(sign) {
    return this.token.kind === 'sign' && this.token.text === sign;
  }

  take() {
    return this.list[this.index++];
  }

  fail(expected) {
    const { kind, text, at } = this.token;
    const found = kind === 'end' ? 'the end' : JSON.stringify(text);
    throw new Refusal(code.SYNTAX, `${expected} is expected, not ${found}`, { details: { at, expected, found: text } });
  }

  // expression reads as long as operators bind at least as strongly as power says.
  expression(power) {
    if (++this.depth > limits.NESTING) {
      const refusal = limits.exceeded('nesting', limits.NESTING, `the expression is nested more than ${limits.NESTING} times`);
      throw refusal.at(null, { at: this.token.at });
    }
    let left = this.operand();
    for (;;) {
      const { kind, text, at } = this.token;
      if (kind !== 'sign') break;
      if (text === '!') {
        this.take();
        left = { kind: 'factorial', left, at };
        continue;
      }
      const binds = binary.get(text);
      if (binds === undefined || binds.left < power) break;
      this.take();
      left = { kind: 'binary', op: text, left, right: this.expression(binds.right), at };
    }
    this.depth--;
    return left;
  }

  operand() {
    const { kind, text, at } = this.token;
    if (kind === 'number') {
      this.take();
      return { kind, text, at };
    }
    if (kind === 'name') {
      this.take();
      return this.is('(') ? { kind: 'call', name: text, args: this.args(), at } : { kind, name: text, at };
    }
    if (this.is('-')) {
      this.take();
      return { kind: 'negative', operand: this.expression(SIGN), at };
    }
    if (this.is('+')) {
      this.take();
      return this.expression(SIGN);
    }
    if (!this.is('(')) this.fail('a value');
    this.take();
    const inner = this.expression(0);
    if (!this.is(')')) this.fail('an operator or ")"');
    this.take();
    return inner;
  }

  args() {
    this.take();
    const list = [];
    if (!this.is(')')) {
      list.push(this.expression(0));
      while (this.is(',')) {
        this.take();
        list.push(this.expression(0));
      }
    }
    if (!this.is(')')) this.fail('an operator, "," or ")"');
    this.take();
    return list;
  }
}

// parse returns the tree of an expression.
function parse(text) {
  const p = new Parser(text);
  const tree = p.expression(0);
  if (p.token.kind !== 'end') p.fail('an operator or the end');
  return tree;
}

module.exports = { parse };
