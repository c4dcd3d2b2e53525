'use strict';
// The gamma function on doubles. Between 1 and 2 stands the approximation of Lanczos with g = 7 and nine terms,
// good to about 1e-15; its error grows with the argument, so greater ones are brought there by
// gamma(x) = (x-1) gamma(x-1), and those below 1/2 by reflection.

const G = 7;
const TERMS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];
const LARGEST = 172; // beyond it the value is beyond the doubles

function gamma(x) {
  if (x > LARGEST) return Infinity;
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
  let factor = 1;
  while (x >= 2) {
    x -= 1;
    factor *= x;
  }
  return factor * lanczos(x - 1);
}

function lanczos(x) {
  let sum = TERMS[0];
  for (let i = 1; i < TERMS.length; i++) sum += TERMS[i] / (x + i);
  const t = x + G + 0.5;
  return Math.sqrt(2 * Math.PI) * t ** (x + 0.5) * Math.exp(-t) * sum;
}

module.exports = { gamma };
