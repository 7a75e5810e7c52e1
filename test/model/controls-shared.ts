import type { Control } from './controls.js';

const CANDIDATE = 'candidate.ts';
const SLOTS = 'slots.ts';
/** Worlds in which leaders lose their leases often. */
const HARSH = { candidates: 4, faultRate: 8, ttl: 200, length: 4_000 } as const;
/** Worlds in which nothing fails, so that what is left behind can be judged at once. */
const CALM = { faultRate: 0, forget: 0, loss: 0, blocks: 0 } as const;
/** Worlds in which many callers want all slots. */
const ALL = { all: 0.3, limit: 3, processes: 5, workers: 2, waits: 1e9 } as const;

/** Rules of limits and leaders, taken out: some world with these must notice that. */
export const SHARED_CONTROLS: readonly Control[] = [
  {
    rule: 'a leader leads no longer than its lease',
    changes: [
      {
        file: 'term.ts',
        from: 'return this.#end === undefined && this.lock.isValid;',
        to: 'return this.#end === undefined;',
      },
    ],
    sees: /TWO LEADERS/,
    choices: HARSH,
  },
  {
    rule: 'a term ends when its lock is lost',
    changes: [
      { file: 'term.ts', from: "signal.addEventListener('abort', () => this.end('lost', signal.reason));", to: '' },
    ],
    sees: /NOT TOLD/,
    choices: HARSH,
  },
  {
    rule: 'the role passes on after the clean-up',
    changes: [{ file: CANDIDATE, from: '    await this.#stopped(running);\n', to: '' }],
    sees: /BEFORE THE CLEAN-UP/,
    choices: { candidates: 3 },
  },
  {
    rule: 'a term is told of earlier work that goes on',
    changes: [{ file: CANDIDATE, from: 'this.#unfinished !== undefined)', to: 'false)' }],
    sees: /BEFORE THE CLEAN-UP of its own/,
    choices: { candidates: 2, late: 0.5 },
  },
  {
    rule: 'the next term after late work is told of that work only',
    changes: [{ file: CANDIDATE, from: 'if (this.#unfinished === all) this.#unfinished = undefined;', to: '' }],
    sees: /OVERLAP with nothing/,
    choices: { candidates: 2, late: 0.5 },
  },
  {
    rule: 'a closed candidate is never elected',
    changes: [
      {
        file: CANDIDATE,
        from: 'ttl: this.#options.ttl, signal });',
        to: 'ttl: this.#options.ttl, signal: new AbortController().signal });',
      },
      { file: CANDIDATE, from: 'if (this.#isClosed()) return await lock.release();', to: '' },
    ],
    sees: /ELECTED AFTER CLOSE/,
    choices: { candidates: 4 },
  },
  {
    rule: 'a leader takes its record back',
    changes: [{ file: CANDIDATE, from: '    withdraw();\n', to: '' }],
    sees: /LEFT BEHIND: the record/,
    choices: { ...CALM, candidates: 2 },
  },
  {
    rule: 'a leader renews its record',
    changes: [
      {
        file: 'reply-register.ts',
        from: 'stop = clock.schedule(maxTtl / RENEWALS, open);',
        to: 'stop = () => undefined;',
      },
    ],
    sees: /READ nothing/,
    choices: { candidates: 2 },
  },
  {
    rule: 'a resource has so many slots as its limit says',
    changes: [
      {
        file: 'resources.ts',
        from: '{ length: limit }, (_, slot) => `${resource}~${slot}`',
        to: "{ length: limit + 1 }, (_, slot) => `${resource}~${slot === limit ? '00' : slot}`",
      },
    ],
    sees: /MORE THAN/,
    choices: { all: 0 },
  },
  {
    rule: 'a caller that has a slot gives up its other places',
    changes: [{ file: SLOTS, from: 'for (const caller of waiting) caller.end();', to: '' }],
    sees: /LEFT BEHIND/,
    choices: { ...CALM, processes: 5, all: 0 },
  },
  {
    rule: 'one caller at a time waits for all slots',
    changes: [{ file: 'redlock.ts', from: '~all`', to: '~all${call.since.monotonic}`' }],
    sees: /STUCK/,
    choices: { ...CALM, ...ALL },
  },
  {
    rule: 'a caller that takes all has every slot',
    changes: [{ file: 'several.ts', from: '[gate, ...slots]', to: '[gate, ...slots.slice(1)]' }],
    sees: /ALL, AND NOT ALONE/,
    choices: ALL,
  },
  {
    rule: 'a caller that takes all raises the tokens of all slots',
    changes: [
      {
        file: 'several.ts',
        from: 'await Promise.all(locks.map((lock) => lock.raise(token)))',
        to: '[true]',
      },
    ],
    sees: /TOKEN/,
    choices: ALL,
  },
  {
    rule: 'a caller that loses the gate gives all slots back',
    changes: [
      { file: 'several.ts', from: 'if (this.#isAbandoned || hasNoGate)', to: 'if (this.#isAbandoned)' },
      { file: 'several.ts', from: 'if (resource === this.gate) lock.onLost(() => void this.#giveBack());', to: '' },
    ],
    sees: /STUCK/,
    choices: { ...ALL, faultRate: 8, ttl: 200, length: 4_000 },
  },
];
