import type { Change } from './bundle.js';
import type { Choices } from './model.js';

/** A rule of the engine, taken out: some world must notice that. */
export interface Control {
  readonly rule: string;
  readonly changes: readonly Change[];
  readonly sees: RegExp;
  readonly choices?: Partial<Choices>;
}

const TWO = /TWO HOLDERS/;
const TOKEN = /TOKEN/;
const QUEUE = 'local-queue.ts';
const NODE = 'memory-node.ts';

export const CONTROLS: readonly Control[] = [
  {
    rule: 'a vote counts for the attempt whose value it carries',
    changes: [
      {
        file: QUEUE,
        from: 'if (next?.value !== value) return this.#giveBackValue(value);',
        to: 'if (next === undefined) return;',
      },
    ],
    sees: /TWO HOLDERS|TOKEN/,
    choices: { loss: 0.1 },
  },
  {
    rule: 'asking again under a deposited value forgets the votes that came unasked',
    changes: [{ file: 'attempt.ts', from: '    this.votes = 0;\n    this.tokens.fill(undefined);\n', to: '' }],
    sees: /TWO HOLDERS|TOKEN/,
  },
  {
    rule: 'a value is alive while its token is being raised',
    changes: [
      { file: QUEUE, from: `(this.#state === 'asking' && this.#attempts.latest?.value === value)`, to: 'false' },
    ],
    sees: /TWO HOLDERS|TOKEN/,
  },
  {
    rule: 'a lease counts from before the question',
    changes: [{ file: 'lease.ts', from: 'this.#since = attempt.since;', to: 'this.#since = pool.clock.now();' }],
    sees: /TWO HOLDERS|TOKEN/,
  },
  {
    rule: 'the lease of an unasked vote counts from its deposit',
    changes: [
      {
        file: QUEUE,
        from: 'this.#attempts.promote(next);',
        to: 'next.since = clock.now();\n      this.#attempts.promote(next);',
      },
    ],
    sees: TWO,
  },
  {
    rule: 'an unasked vote takes all its tokens at once',
    changes: [
      {
        file: NODE,
        from: 'const token = this.#count(resource, proposal, count);\n      notify',
        to: 'const token = this.#count(resource, proposal, 1);\n      notify',
      },
    ],
    sees: TOKEN,
  },
  {
    rule: 'a raise goes to the last of the tokens',
    changes: [{ file: 'token-agreement.ts', from: 'token: token + count - 1', to: 'token' }],
    sees: TOKEN,
  },
  {
    rule: 'votes that differ are raised to the greatest token, and a quorum confirms it',
    changes: [
      {
        file: 'token-agreement.ts',
        from: 'if (size() >= pool.quorum) return done(true);',
        to: 'if (size() > 0) return done(true);',
      },
    ],
    sees: TOKEN,
  },
  {
    rule: 'a node in quarantine does not vote',
    changes: [
      {
        file: NODE,
        from: `    if (this.quarantine > 0) return { kind: 'quarantined', remaining: this.quarantine };\n`,
        to: '',
      },
    ],
    sees: /TWO HOLDERS|TOKEN/,
    choices: { faultRate: 8 },
  },
  {
    rule: 'missing is not extended',
    changes: [
      {
        file: 'lease.ts',
        from: `if (count('extended') >= pool.quorum) done(`,
        to: `if (count('extended', 'missing') >= pool.quorum) done(`,
      },
      {
        file: 'lease.ts',
        from: `else if (count('missing', 'taken') > names.length - pool.quorum)`,
        to: `else if (count('taken') > names.length - pool.quorum)`,
      },
    ],
    sees: TWO,
    choices: { faultRate: 8, forget: 0, hold: 2_000, ttl: 200, length: 4_000 },
  },
  {
    rule: 'leases go by the greater of two clocks',
    changes: [
      {
        file: 'clock.ts',
        from: 'Math.max(now.monotonic - since.monotonic, now.wall - since.wall)',
        to: 'now.monotonic - since.monotonic',
      },
    ],
    sees: TWO,
    choices: { wall: 1, faultRate: 8 },
  },
  {
    rule: 'a lease is shorter than its ttl by what clocks may differ',
    changes: [{ file: 'clock.ts', from: 'return Math.ceil(ttl * driftFactor) + 2;', to: 'return 0;' }],
    sees: TWO,
    choices: { rates: 0.004, delay: 0.1, faultRate: 3 },
  },
  {
    rule: 'a quorum is more than half of the nodes',
    changes: [{ file: 'pool.ts', from: 'Math.floor(nodes / 2) + 1', to: 'Math.max(1, Math.floor(nodes / 2))' }],
    sees: TWO,
  },
  {
    rule: 'a release compares the value',
    changes: [
      {
        file: NODE,
        from: 'const isOurs = this.#key(resource)?.value === value;',
        to: 'const isOurs = this.#key(resource) !== undefined;',
      },
    ],
    sees: TWO,
  },
  {
    rule: 'a denied attempt gives its votes back',
    changes: [
      {
        file: QUEUE,
        from: '    this.#promoteOnlooker();\n    this.#giveBack(attempt);\n',
        to: '    this.#promoteOnlooker();\n',
      },
    ],
    sees: /LEFT BEHIND/,
    choices: { faultRate: 0, forget: 0, foreign: 0, loss: 0 },
  },
  {
    rule: 'a call for several resources holds nothing behind what it waits for',
    changes: [
      {
        file: 'several.ts',
        from: 'await this.giveBack(this.#resources.slice(this.#resources.indexOf(resource)));',
        to: 'await this.giveBack([resource]);',
      },
    ],
    sees: /STUCK/,
    choices: { several: 0.3, resources: 2, faultRate: 3, waits: 1e9, forget: 0 },
  },
];
