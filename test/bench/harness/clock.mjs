/** Ms on the monotonic clock of the machine: the same in every process, which `performance.now()` is not. */
export function machineTime() {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** @param {number} ms @returns {Promise<void>} */
export function delay(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Waits for a time of the machine's clock, so that processes that were told of it go at once. @param {number} at */
export async function until(at) {
  const left = at - machineTime();
  if (left > 0) await delay(left);
}
