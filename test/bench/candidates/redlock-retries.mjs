// The default of redlock 4, 5 and of what descends from them: 200 ms, 100 ms more or less.
const SHORTEST_DELAY_MS = 100;

/**
 * Enough retries for that time, with the default delays between them.
 * @param {number | undefined} patience ms
 */
export function redlockRetries(patience) {
  return patience === undefined ? {} : { retryCount: Math.ceil(patience / SHORTEST_DELAY_MS) };
}
