import type { Change } from '../compile.mjs';

const SCRIPT = 'lib/redis/scripts/batch-script.ts';
const LINE = 'lib/redis/scripts/line-script.ts';
const VERBS = 'lib/redis/scripts/batch-verbs.ts';

/**
 * Negative controls: each takes one protection out of a copy of the library. A harness that does not notice would not
 * notice a mistake either.
 */
export const SABOTAGES: Readonly<Record<string, readonly Change[]>> = {
  'release-without-compare': [
    {
      file: SCRIPT,
      from: "usual = try('GET', key) == value and try('DEL', key) == 1",
      to: "usual = try('DEL', key) == 1",
    },
    {
      file: VERBS,
      from: "if owner == value then call('DEL', KEYS[at]) end",
      to: "if owner then call('DEL', KEYS[at]) end",
    },
  ],
  // The time that the answers took is ignored: a lease begins when it is first looked at.
  'no-validity-check': [
    {
      file: 'lib/core/time/validity.ts',
      from: 'return this.length - elapsed(this.since, now);',
      to: 'return this.length - elapsed((this.first ??= now), now);',
    },
  ],
  // Counters that begin at nothing instead of the time: a node that forgot begins again.
  'zero-seeded-counters': [
    { file: 'lib/core/port/fencing.ts', from: 'return Math.round(wall * 1_000);', to: 'return 0 * wall;' },
    {
      file: LINE,
      from: 'math.max(fence_of(at) + 1, reached)',
      to: 'fence_of(at) + 1',
    },
  ],
  // The greatest of the counters that answered, whether a later holder will meet it or not.
  'greatest-token': [
    { file: 'lib/core/port/fencing.ts', from: '[quorum - 1];', to: '.at(-1);' },
    {
      file: 'lib/core/port/fencing.ts',
      from: 'return fences.filter((fence) => fence >= token).length >= quorum;',
      to: 'return fences.length >= quorum && token > 0;',
    },
  ],
};
