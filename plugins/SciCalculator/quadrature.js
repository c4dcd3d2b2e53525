'use strict';
// The integral of a function over an interval, adaptively: the interval with the largest error is halved until the
// errors together are small enough. On each interval stand two rules of Gauss and Kronrod, one with 15 places and
// inside of it one with 7; how far they are apart says how wrong they can be. The ends are no places of either, so
// sin(x)/x can be integrated from 0.

// Places on [0, 1] of [-1, 1], and what the longer and the shorter rule weigh them with.
const RULE = [
  [0.9914553711208126, 0.022935322010529224, 0],
  [0.9491079123427585, 0.06309209262997856, 0.1294849661688697],
  [0.8648644233597691, 0.10479001032225019, 0],
  [0.7415311855993945, 0.14065325971552592, 0.27970539148927664],
  [0.5860872354676911, 0.1690047266392679, 0],
  [0.4058451513773972, 0.19035057806478542, 0.3818300505051189],
  [0.20778495500789848, 0.20443294007529889, 0],
];
const MIDDLE = [0.20948214108472782, 0.4179591836734694];

const PLACES = 15;
const MAX_EVALUATIONS = 30_000;

// integrate returns {value, error, evaluations, converged}. The error counts as small when it is below the
// tolerance times the integral of |f|, or when it is what rounding does anyway.
function integrate(f, from, to, tolerance) {
  const parts = [apply(f, from, to)];
  let evaluations = PLACES;
  for (;;) {
    const total = (name) => parts.reduce((sum, part) => sum + part[name], 0);
    const [value, error, size] = [total('value'), total('error'), total('size')];
    const converged = error <= tolerance * size;
    if (converged || evaluations + 2 * PLACES > MAX_EVALUATIONS) return { value, error, evaluations, converged };
    const worst = parts.reduce((w, part, i) => (part.error > parts[w].error ? i : w), 0);
    const { a, b } = parts[worst];
    const middle = a + (b - a) / 2;
    if (middle === a || middle === b) return { value, error, evaluations, converged };
    parts[worst] = apply(f, a, middle);
    parts.push(apply(f, middle, b));
    evaluations += 2 * PLACES;
  }
}

// apply puts both rules on an interval. size is the integral of |f|.
function apply(f, a, b) {
  const half = (b - a) / 2;
  const center = a + half;
  const middle = f(center);
  let [long, short, size] = [MIDDLE[0] * middle, MIDDLE[1] * middle, MIDDLE[0] * Math.abs(middle)];
  const values = [[MIDDLE[0], middle]];
  for (const [place, weight, shorter] of RULE) {
    for (const y of [f(center - half * place), f(center + half * place)]) {
      long += weight * y;
      short += shorter * y;
      size += weight * Math.abs(y);
      values.push([weight, y]);
    }
  }
  // The difference of the rules is the error of the shorter one. How much better the longer one is, the power
  // says: it is known to fit (QUADPACK), relative to how far the function departs from its mean.
  const departure = values.reduce((sum, [weight, y]) => sum + weight * Math.abs(y - long / 2), 0);
  const ratio = departure === 0 ? 0 : Math.min(1, ((200 * Math.abs(long - short)) / departure) ** 1.5);
  const width = Math.abs(half);
  const rounding = 50 * Number.EPSILON * size;
  return { a, b, value: half * long, error: width * Math.max(departure * ratio, rounding), size: width * size };
}

module.exports = { integrate, RULE, MIDDLE };
