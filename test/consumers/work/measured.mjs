import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

const PATIENCE = 20_000;
/** What one lock on an order makes of the metrics. */
const EXPECTED = [
  /^redlock_acquire_duration_count\{(?=.*redlock_resource_template="order:<body\.id>")(?=.*redlock_outcome="acquired").*\} 1$/m,
  /^redlock_hold_duration_count\{(?=.*redlock_end="released").*\} 1$/m,
  /^redlock_quorum_margin\{.*\} [1-9]/m,
  /^redlock_held\{.*\} 0$/m,
];

/**
 * Compiles the application, types of packages included, and reads its metrics after it has taken a lock.
 * @param {import('../harness/workplace.mjs').Application} application
 * @returns {(place: import('../harness/workplace.mjs').Workplace) => Promise<void>}
 */
export function measured(application) {
  return async (place) => {
    const folder = place.furnish({ ...application, compilerOptions: { skipLibCheck: false } });
    await place.run(folder, place.installed(application.install, 'typescript/bin/tsc'), '--project', '.');
    const url = await place.start(folder, 'dist/express.js', /listening on (\S+)/);
    const body = JSON.stringify({ id: 'secret-7' });
    const headers = { 'content-type': 'application/json' };
    const placed = await fetch(`${url}/orders`, { method: 'POST', headers, body });
    assert.equal(placed.status, 201);
    await untilMeasured(`${url}/metrics`);
  };
}

/** A release is told a moment after the answer. @param {string} url */
async function untilMeasured(url) {
  for (const end = performance.now() + PATIENCE; ; await setTimeout(100)) {
    const text = await (await fetch(url)).text();
    try {
      for (const line of EXPECTED) assert.match(text, line);
      return assert.doesNotMatch(text, /secret-7/);
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}
