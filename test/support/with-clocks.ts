import { describe, it } from '@jest/globals';
import { clockShimObstacle } from './clock-shim.js';

/** `describe` for what needs a clock that the test sets. A machine on which no clock can be set says why in a test that is skipped. */
export function describeWithClocks(title: string, body: () => void): void {
  const obstacle = clockShimObstacle();
  if (obstacle === undefined) return describe(title, body);
  describe(title, () => it.skip(`cannot be tried on this machine: ${obstacle}`, () => undefined));
}
