import type { Change } from '../compile.mjs';

const CANDIDATE = 'lib/leader/candidate.ts';
const TERM = 'lib/leader/term.ts';
const OPERATIONS = 'lib/redis/scripts/operations.lua.ts';
const RECORDS = 'lib/redis/scripts/records.lua.ts';
const QUEUE = 'lib/redis/scripts/queue.lua.ts';

/**
 * Negative controls: each takes one protection out of a copy of the library. A harness that does not notice would not
 * notice a mistake either.
 */
export const SABOTAGES: Readonly<Record<string, readonly Change[]>> = {
  'release-without-compare': [
    {
      file: OPERATIONS,
      from: "answer = value ~= '' and try('GET', key) == value and call('DEL', key) or 0",
      to: "answer = call('DEL', key)",
    },
    {
      file: QUEUE,
      from: "local gone = value ~= '' and owner_of(key) == value and call('DEL', key) or 0",
      to: "local gone = call('DEL', key)",
    },
  ],
  // The time that the answers took is ignored: a lease begins when they are there.
  'no-validity-check': [
    { file: 'lib/engine/lease.ts', from: 'this.#since = attempt.since;', to: 'this.#since = pool.clock.now();' },
  ],
  // Counters that begin at nothing instead of the time: a node that forgot begins again.
  'zero-seeded-counters': [
    { file: 'lib/engine/pool.ts', from: 'const date = this.date();', to: 'const date = 0 * this.date();' },
    { file: OPERATIONS, from: 'token < now + furthest and token > now - furthest', to: 'true' },
    { file: QUEUE, from: 'return token > now + furthest or token < now - furthest', to: 'return false' },
  ],
  // The greatest of the tokens of the votes, whether a later holder will meet it or not.
  'greatest-token': [
    {
      file: 'lib/engine/fencing.ts',
      from: 'if (size() >= pool.quorum) return done(true);',
      to: 'if (size() > 0) return done(true);',
    },
  ],
  // An attempt that opens a record promises nothing: an earlier one may still settle.
  'no-promise': [
    { file: RECORDS, from: `'p', ballot, 'f', fingerprint`, to: `'p', promised or ballot, 'f', fingerprint` },
    { file: RECORDS, from: `call('HSET', key, 'p', ballot)\n      return found`, to: 'return found' },
  ],
  // The record of an attempt that has been overtaken goes over that of a later one.
  'settle-without-ballot': [
    {
      file: RECORDS,
      from: /(function settle.*\n).*is_before.*\n/,
      to: 'function settle(key, at, ballot, promised)\n',
    },
  ],
  // There is one slot more than the limit says.
  'one-slot-more': [
    { file: 'lib/engine/resources.ts', from: 'Array.from({ length: limit },', to: 'Array.from({ length: limit + 1 },' },
  ],
  // Whoever takes all slots leaves one to others.
  'all-but-one-slot': [
    {
      file: 'lib/engine/redlock.ts',
      from: '{ gate: `${resources[0]!}~all`, slots }',
      to: '{ gate: `${resources[0]!}~all`, slots: slots.slice(1) }',
    },
  ],
  // The role passes on while the clean-up of its leader runs.
  'role-before-clean-up': [
    {
      file: CANDIDATE,
      from: /(await this\.#stopped\(running\);)\s+(withdraw\(\);\s+await term\.handOver\(\);)/,
      to: 'withdraw(); await term.handOver(); await this.#stopped(running);',
    },
  ],
  // A process that lost its lease leads again while it still cleans up.
  'term-before-clean-up': [
    {
      file: CANDIDATE,
      from: /await this\.#stopped\(running\);(?=\s+withdraw)/,
      to: "if (reason !== 'lost') await this.#stopped(running);",
    },
  ],
  // A term goes on after its lease until a timer says so.
  'term-after-lease': [
    { file: TERM, from: 'return this.#end === undefined && this.lock.isValid;', to: 'return this.#end === undefined;' },
    { file: TERM, from: 'void this.lock.signal;', to: '' },
  ],
};
