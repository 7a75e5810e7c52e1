/** @typedef {{ median: number, min: number, max: number, count: number }} Spread */

/** @param {readonly number[]} values */
export function sorted(values) {
  return Float64Array.from(values).sort();
}

/** The nearest rank. @param {ArrayLike<number>} ascending @param {number} share from 0 to 1 */
export function percentile(ascending, share) {
  if (ascending.length === 0) return Number.NaN;
  const rank = Math.min(ascending.length - 1, Math.max(0, Math.ceil(share * ascending.length) - 1));
  return /** @type {number} */ (ascending[rank]);
}

/** @param {readonly number[]} values */
export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** @param {readonly number[]} values */
export function median(values) {
  const ascending = sorted(values);
  const middle = ascending.length >> 1;
  if (ascending.length % 2 === 1) return percentile(ascending, 0.5);
  return (Number(ascending[middle - 1]) + Number(ascending[middle])) / 2;
}

/**
 * Of what is known: JSON makes null of all that is no number.
 * @param {readonly (number | null | undefined)[]} values
 * @returns {Spread | undefined} nothing if nothing was measured
 */
export function spread(values) {
  const known = values.filter((value) => value !== undefined && value !== null && !Number.isNaN(value)).map(Number);
  if (known.length === 0) return undefined;
  return { median: median(known), min: Math.min(...known), max: Math.max(...known), count: known.length };
}
