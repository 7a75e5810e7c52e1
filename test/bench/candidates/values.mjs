import { randomFillSync } from 'node:crypto';

const VALUE_BYTES = 20;
const POOL = Buffer.allocUnsafe(VALUE_BYTES * 512);
let used = POOL.length;

/** A lock's random value; from a pool, because a call into crypto costs more than all the rest of it. */
export function nextValue() {
  if (used === POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  used += VALUE_BYTES;
  return POOL.toString('base64url', used - VALUE_BYTES, used);
}
