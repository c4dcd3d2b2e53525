'use strict';
// A refusal is an expected failure of a command: it becomes the error of a payload. Anything else that is
// thrown is a mistake in this program.

const code = {
  INVALID_ARGUMENT: 'INVALID_ARGUMENT',
  MISSING_ARGUMENT: 'MISSING_ARGUMENT',
  UNKNOWN_COMMAND: 'UNKNOWN_COMMAND',
  INTERNAL_ERROR: 'INTERNAL_ERROR',
  SYNTAX: 'SCICALCULATOR.SYNTAX_ERROR',
  UNKNOWN_NAME: 'SCICALCULATOR.UNKNOWN_NAME',
  DIVISION_BY_ZERO: 'SCICALCULATOR.DIVISION_BY_ZERO',
  DOMAIN: 'SCICALCULATOR.DOMAIN_ERROR',
  OVERFLOW: 'SCICALCULATOR.OVERFLOW',
  UNDERFLOW: 'SCICALCULATOR.UNDERFLOW',
  LIMIT: 'SCICALCULATOR.LIMIT_EXCEEDED',
  NOT_CONVERGED: 'SCICALCULATOR.NOT_CONVERGED',
  UNKNOWN_UNIT: 'SCICALCULATOR.UNKNOWN_UNIT',
  INCOMPATIBLE_UNITS: 'SCICALCULATOR.INCOMPATIBLE_UNITS',
};

class Refusal extends Error {
  constructor(code, message, { target = null, details = null } = {}) {
    super(message);
    this.code = code;
    this.target = target; // JSON Pointer into the arguments
    this.details = details;
  }

  // at completes a refusal that was thrown where the place in the expression is not known.
  at(target, details) {
    this.target ??= target;
    this.details = { ...details, ...this.details };
    return this;
  }
}

module.exports = { code, Refusal };
