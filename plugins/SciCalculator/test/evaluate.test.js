'use strict';

const { test } = require('node:test');
const assert = require('node:assert');
const exact = require('../exact.js');
const { compile } = require('../evaluate.js');
const { parse } = require('../parse.js');
const { functions } = require('../functions.js');
const { format } = require('../digits.js');
const { Refusal } = require('../refusal.js');
const { near } = require('../near.js');
const { Work } = require('../limits.js');

function value(text, { angle = 'radians', variables = {} } = {}) {
  const known = new Map(Object.entries(variables).map(([name, v]) => [name, exact.parse(v)]));
  return compile(text)({ variables: known, angle, work: new Work() });
}

const text = (expression, more) => format(value(expression, more)).text;

// tree writes a tree with all its parentheses.
function tree(node) {
  switch (node.kind) {
    case 'number': return node.text;
    case 'name': return node.name;
    case 'call': return `${node.name}(${node.args.map(tree).join(',')})`;
    case 'negative': return `(-${tree(node.operand)})`;
    case 'factorial': return `(${tree(node.left)}!)`;
    default: return `(${tree(node.left)}${node.op}${tree(node.right)})`;
  }
}

test('precedence', () => {
  const tests = [
    ['1+2*3', '(1+(2*3))'], ['1-2-3', '((1-2)-3)'], ['8/4/2*3', '(((8/4)/2)*3)'], ['2^3^4', '(2^(3^4))'], ['-2^2', '(-(2^2))'], ['2^-3^2', '(2^(-(3^2)))'],
    ['2^-1*3', '((2^(-1))*3)'], ['-2*3', '((-2)*3)'], ['2*-3', '(2*(-3))'], ['--2', '(-(-2))'], ['+2-+3', '(2-3)'], ['3!^2', '((3!)^2)'], ['2^3!', '(2^(3!))'],
    ['-3!', '(-(3!))'], ['3!!', '((3!)!)'], ['a%b*c', '((a%b)*c)'], ['(1+2)*3', '((1+2)*3)'], ['f(1,g(2)+3,(4))', 'f(1,(g(2)+3),4)'], ['f()', 'f()'],
    ['2**3', '(2^3)'], ['2×3÷4·5−6', '((((2*3)/4)*5)-6)'], ['.5+5.', '(.5+5.)'], ['1e3+1E-3', '(1e3+1E-3)'], ['2e', null], ['1..2', null], ['()', null], ['1,2', null],
    ['f(1,)', null], ['f(,1)', null], ['*2', null], ['2*', null], ['!2', null], ['(1', null], ['1)', null], ['f(1', null], ['2 a', null], ['a b', null], ['(1)(2)', null], ['2(3)', null],
    ['1;2', null], ['a=1', null], ['"a"', null], ['a.b', null], ['a[0]', null], ['`a`', null], ['a\u0000', null], ['', null], ['  ', null],
  ];
  for (const [expression, want] of tests) {
    let got = null;
    try {
      got = tree(parse(expression));
    } catch (e) {
      if (!(e instanceof Refusal)) throw e;
      assert.strictEqual(e.code, 'SCICALCULATOR.SYNTAX_ERROR', expression);
    }
    assert.strictEqual(got, want, expression);
  }
});

test('every function', () => {
  const tests = [
    ['sin(1)', '0.841470984807897'], ['cos(1)', '0.54030230586814'], ['tan(1)', '1.5574077246549'], ['asin(1)', '1.5707963267949'], ['acos(0.3)', '1.26610367277950'],
    ['atan(2)', '1.10714871779409'], ['atan2(1,-1)', '2.35619449019234'], ['sinh(1)', '1.1752011936438'], ['cosh(1)', '1.54308063481524'], ['tanh(1)', '0.761594155955765'],
    ['asinh(1)', '0.881373587019543'], ['acosh(2)', '1.31695789692482'], ['atanh(0.5)', '0.549306144334055'], ['sqrt(2)', '1.4142135623731'], ['cbrt(2)', '1.25992104989487'],
    ['exp(2)', '7.38905609893065'], ['ln(2)', '0.693147180559945'], ['log(2)', '0.301029995663981'], ['log(10,2)', '3.32192809488736'], ['log2(10)', '3.32192809488736'],
    ['log10(2)', '0.301029995663981'], ['abs(-1.5)', '1.5'], ['sign(-3)', '-1'], ['floor(-1.5)', '-2'], ['ceil(-1.5)', '-1'], ['round(2.345,2)', '2.35'], ['trunc(-1.5)', '-1'],
    ['mod(-7,3)', '2'], ['min(3,1,2)', '1'], ['max(3,1,2)', '3'], ['gcd(84,36,60)', '12'], ['lcm(2,3,4)', '12'], ['factorial(5)', '120'], ['gamma(5)', '24'], ['hypot(2,3,6)', '7'],
  ];
  for (const [expression, want] of tests) assert.strictEqual(text(expression), format(exact.parse(want)).text, expression);
  const named = new Set(tests.map(([expression]) => expression.replace(/\(.*/, '')));
  assert.deepStrictEqual([...functions.keys()].filter((name) => !named.has(name)), [], 'functions without a test');
});

test('constants', () => {
  for (const [name, want] of [['pi', Math.PI], ['π', Math.PI], ['e', Math.E], ['tau', 2 * Math.PI], ['τ', 2 * Math.PI], ['phi', (1 + 5 ** 0.5) / 2], ['φ', (1 + 5 ** 0.5) / 2]]) {
    assert.strictEqual(value(name), want);
  }
});

test('what is a fraction is exact', () => {
  const degrees = { angle: 'degrees' };
  const tests = [
    ['2^100', '1267650600228229401496703205376'], ['2^-2', '0.25'], ['(2/3)^-3', '3.375'], ['0^0', '1'], ['(-1)^10001', '-1'], ['1^(10^4000)', '1'], ['8^(1/3)', '2'], ['32^0.2', '2'],
    ['(9/4)^1.5', '3.375'], ['log2(2^5000)', '5000'], ['log(1/1000)', '-3'], ['log(27,3)', '3'], ['exp(0)', '1'], ['ln(1)', '0'], ['sin(0)', '0'], ['cos(0)', '1'], ['sin(360*10^30+30)', '0.5', degrees],
    ['cos(120)', '-0.5', degrees], ['cos(-60)', '0.5', degrees], ['sin(-90)', '-1', degrees], ['tan(135)', '-1', degrees], ['asin(0.5)', '30', degrees], ['acos(-1)', '180', degrees],
    ['atan(1)', '45', degrees], ['3000!/2999!', '3000'], ['10^5000 % 7', '2'], ['0.1+0.2-0.3', '0'], ['max(1/3,1/2)', '0.5'], ['round(12345,-2)', '12300'], ['gamma(21)', '2432902008176640000'],
    ['-7 % 3', '-1'], ['7 % -3', '1'], ['7.5 % 2', '1.5'], ['mod(7,-3)', '-2'], ['gcd(0,5)', '5'], ['lcm(0,5)', '0'], ['hypot(0.3,0.4)', '0.5'], ['sign(0)', '0'],
  ];
  for (const [expression, want, more] of tests) {
    const v = value(expression, more);
    assert.ok(v instanceof exact.Exact, `${expression} is ${v}`);
    assert.strictEqual(format(v).text, want, expression);
  }
});

test('angles whose sine is a fraction, all around', () => {
  for (let angle = -720; angle <= 720; angle += 15) {
    for (const [f, radians] of [['sin', Math.sin], ['cos', Math.cos]]) {
      const v = value(`${f}(${angle})`, { angle: 'degrees' });
      const want = radians((angle * Math.PI) / 180);
      assert.strictEqual(v instanceof exact.Exact, Math.abs(want * 2 - Math.round(want * 2)) < 1e-9, `${f}(${angle})`);
      assert.ok(Math.abs((v instanceof exact.Exact ? exact.toNumber(v) : v) - want) < 1e-14, `${f}(${angle})`);
    }
  }
});

test('what is not known to be exact is no fraction', () => {
  for (const expression of ['pi-pi', 'sqrt(2)^2', 'floor(pi)', 'max(1,sin(1))', 'sign(sin(1))', 'factorial(floor(pi))', '2^0.5', 'sin(pi)', 'gcd(floor(pi),6)']) {
    assert.strictEqual(typeof value(expression), 'number', expression);
  }
});

test('refusals', () => {
  const tests = [
    ['1/0', 'DIVISION_BY_ZERO', 1], ['1%0', 'DIVISION_BY_ZERO', 1], ['1/sin(0)', 'DIVISION_BY_ZERO', 1], ['mod(1,0)', 'DIVISION_BY_ZERO', 0], ['0^-1', 'DIVISION_BY_ZERO', 1],
    ['(1-1.0)^-0.5', 'DIVISION_BY_ZERO', 7], ['ln(0)', 'DOMAIN_ERROR', 0], ['ln(-1)', 'DOMAIN_ERROR', 0], ['log(8,1)', 'DOMAIN_ERROR', 0], ['log(8,-2)', 'DOMAIN_ERROR', 0], ['sqrt(-4)', 'DOMAIN_ERROR', 0],
    ['(-8)^(1/3)', 'DOMAIN_ERROR', 4], ['asin(1.1)', 'DOMAIN_ERROR', 0], ['acosh(0.9)', 'DOMAIN_ERROR', 0], ['atanh(1)', 'DOMAIN_ERROR', 0], ['(1/2)!', 'DOMAIN_ERROR', 5], ['(-1)!', 'DOMAIN_ERROR', 4],
    ['gamma(0)', 'DOMAIN_ERROR', 0], ['gamma(-2)', 'DOMAIN_ERROR', 0], ['gcd(1.5,2)', 'DOMAIN_ERROR', 0], ['round(1,0.5)', 'DOMAIN_ERROR', 0], ['round(1,1001)', 'DOMAIN_ERROR', 0],
    ['exp(710)', 'OVERFLOW', 0], ['exp(exp(10))', 'OVERFLOW', 0], ['10^10^10', 'OVERFLOW', 2], ['1e309*1.5e0^pi', 'OVERFLOW', 5], ['3249!', 'OVERFLOW', 4], ['gamma(171.7)', 'OVERFLOW', 0],
    ['sin(10^400)', 'OVERFLOW', 0], ['1e99999', 'OVERFLOW', 0], ['exp(-800)', 'UNDERFLOW', 0], ['sin(1)*1e-320*1e-320', 'UNDERFLOW', 13], ['1e-99999', 'UNDERFLOW', 0],
    ['nope', 'UNKNOWN_NAME', 0], ['1+nope(1)', 'UNKNOWN_NAME', 2], ['𝒳+nope', 'UNKNOWN_NAME', 2, { 𝒳: '1' }], ['sin', 'SYNTAX_ERROR', 0], ['pi(1)', 'SYNTAX_ERROR', 0], ['sin()', 'SYNTAX_ERROR', 0], ['atan2(1)', 'SYNTAX_ERROR', 0],
    ['min()', 'SYNTAX_ERROR', 0], ['log(1,2,3)', 'SYNTAX_ERROR', 0], ['1 @', 'SYNTAX_ERROR', 2], ['😀', 'SYNTAX_ERROR', 0], ['(((1', 'SYNTAX_ERROR', 4],
  ];
  for (const [expression, code, position, variables] of tests) {
    assert.throws(() => value(expression, { variables }), (e) => {
      assert.ok(e instanceof Refusal, `${expression}: ${e.stack}`);
      assert.deepStrictEqual([e.code, e.target, e.details.position], [`SCICALCULATOR.${code}`, '/expression', position], `${expression}: ${e.message}`);
      assert.ok(!('at' in e.details));
      return true;
    }, expression);
  }
});

test('names that are near', () => {
  const names = ['sin', 'sinh', 'sqrt', 'log', 'log10', 'e'];
  for (const [name, want] of [['Sin', ['sin']], ['sine', ['sin', 'sinh']], ['sqtr', ['sqrt']], ['sqr', ['sqrt']], ['logg', ['log']], ['x', []], ['nothing', []]]) {
    assert.deepStrictEqual(near(name, names), want, name);
  }
});
