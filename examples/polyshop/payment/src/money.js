/** Amounts are numbers of cents (BigInt) inside of the service, and decimal numbers in JSON and in the database. */

/** Returns the cents of a JSON number or of a decimal text, or null if it is no amount of money. */
export function toCents(value) {
  const match = /^(\d{1,12})(?:\.(\d{1,2})0*)?$/.exec(typeof value === 'number' ? String(value) : (value ?? ''));
  return match ? BigInt(match[1]) * 100n + BigInt((match[2] ?? '').padEnd(2, '0')) : null;
}

/** The text of an amount, as the database reads it. */
export function toDecimal(cents) {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

/** The number of an amount, as JSON contains it. */
export function toNumber(cents) {
  return Number(toDecimal(cents));
}
