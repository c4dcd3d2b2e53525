'use strict';
// Names that may have been meant: the same but for case, or one step away (a letter more, less, other, or two
// neighbours swapped).

function near(name, names) {
  if (name.length > 32) return [];
  const lower = name.toLowerCase();
  const same = names.filter((n) => n.toLowerCase() === lower);
  const found = same.length > 0 ? same : names.filter((n) => n.length > 2 && oneStep(lower, n.toLowerCase()));
  return found.slice(0, 3);
}

function oneStep(a, b) {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  return restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1) ||
    (restA[1] === restB[0] && restA[0] === restB[1] && restA.slice(2) === restB.slice(2));
}

module.exports = { near };
