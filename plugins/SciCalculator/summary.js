'use strict';
// Texts for the one line that presentation.summary is.

const MAX = 80; // characters

// short makes one short line of a text.
function short(text) {
  const line = [...text.slice(0, 4 * MAX).trim().replace(/\s+/g, ' ')];
  return line.length <= MAX && text.length <= 4 * MAX ? line.join('') : `${line.slice(0, MAX - 1).join('')}…`;
}

module.exports = { short };
