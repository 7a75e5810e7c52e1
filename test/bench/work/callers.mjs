import { percentile, sorted } from '../harness/statistics.mjs';

/** Calls a handler again and again, each time with an e-mail address of its own; or with so many of them, one after the other, if that is said. */
export class Caller {
  /** @type {number[]} ms */
  latencies = [];
  failures = 0;
  lastFailure = '';
  #next = 0;

  /**
   * @param {string} name
   * @param {(email: string) => Promise<string | undefined>} call returns what went wrong
   * @param {number} [addresses]
   */
  constructor(name, call, addresses = Infinity) {
    this.name = name;
    this.call = call;
    this.addresses = addresses;
  }

  /** @param {number} length ms */
  async repeat(length) {
    const end = performance.now() + length;
    while (performance.now() < end) {
      const start = performance.now();
      this.#next = this.#next < this.addresses ? this.#next + 1 : 1;
      const failure = await this.call(`${this.name}-${this.#next}@example.org`);
      this.latencies.push(performance.now() - start);
      if (failure === undefined) continue;
      this.failures += 1;
      this.lastFailure = failure;
    }
  }
}

/**
 * Lets all of them call, at first until the code of a request is compiled.
 * @param {readonly Caller[]} callers
 * @param {{ length: number, warmUp: number }} times ms
 * @returns {Promise<import('../harness/child-main.mjs').Measure>}
 */
export async function measureCalls(callers, { length, warmUp }) {
  await Promise.all(callers.map((caller) => caller.repeat(warmUp)));
  const warmUpRequests = callers.reduce((sum, { latencies }) => sum + latencies.length, 0);
  return async () => {
    for (const caller of callers) caller.latencies = [];
    await Promise.all(callers.map((caller) => caller.repeat(length)));
    return { ...figuresOf(callers), warmUpRequests };
  };
}

/** @param {readonly Caller[]} callers */
function figuresOf(callers) {
  const ascending = sorted(callers.flatMap(({ latencies }) => latencies));
  const failures = callers.reduce((sum, caller) => sum + caller.failures, 0);
  return {
    requests: ascending.length,
    p50: percentile(ascending, 0.5),
    p99: percentile(ascending, 0.99),
    failures,
    ...(failures > 0 && { note: callers.find(({ lastFailure }) => lastFailure)?.lastFailure }),
  };
}
