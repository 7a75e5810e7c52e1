import type { Change } from './bundle.js';
import type { SharedChoices } from './choices.js';

/** A rule of the engine, taken out: some world must notice that. */
export interface Control {
  readonly rule: string;
  readonly changes: readonly Change[];
  readonly sees: RegExp;
  readonly choices?: Partial<SharedChoices>;
}

const TWO = /TWO HOLDERS/;
const TOKEN = /TOKEN/;
const QUEUE = 'local-queue.ts';
const NODE = 'memory-node.ts';
const STAND = `      if (arrival !== undefined)
        this.#stand(resource, channel, { arrival, deposit: { value: nextValueOf(value), ttl, proposal, count } });
`;
const SERVE = `      if (key === undefined && this.#serve(resource, arrival === undefined ? undefined : channel))
        key = this.#key(resource);
`;
/** Worlds in which nothing fails, so that the order of arrival and what is left behind can be judged. */
const CALM = { faultRate: 0, forget: 0, foreign: 0, loss: 0, blocks: 0 } as const;
/** Worlds in which callers wait until they get the lock. */
const PATIENT = { ...CALM, waits: 1e9, once: 0 } as const;
/** Worlds in which locks are held while one node after the other is restarted empty. */
const FORGETFUL = { faultRate: 20, nodes: 3, ttl: 500, hold: 1_000, length: 4_000, forget: 0, once: 0 } as const;

/** Worlds in which callers do their work once for a key, while nodes, connections and callers fail more often than they work. */
export const ONCE = { once: 1, foreign: 0, nodes: 3, faultRate: 40, processes: 5, workers: 1 } as const;
const ANSWERS = /TWO ANSWERS/;
const REGISTER = 'reply-register.ts';
const RECORDS = 'memory-records.ts';

export const CONTROLS: readonly Control[] = [
  {
    rule: 'a vote counts for the attempt whose value it carries',
    changes: [
      {
        file: QUEUE,
        from: 'if (next?.value !== value) return this.#returnValue(value);',
        to: 'if (next === undefined) return;',
      },
    ],
    sees: /TWO HOLDERS|TOKEN/,
    choices: { loss: 0.1 },
  },
  {
    rule: 'asking again under a deposited value forgets the votes that came unasked',
    changes: [{ file: 'attempt.ts', from: '    this.votes = 0;\n    this.answers.fill(undefined);\n', to: '' }],
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
        from: '    if (next.votes >= pool.quorum) {\n',
        to: '    if (next.votes >= pool.quorum) {\n      next.since = clock.now();\n',
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
    changes: [{ file: 'fencing.ts', from: 'token: token + count - 1', to: 'token' }],
    sees: TOKEN,
    choices: { nodes: 5, processes: 5, workers: 4, ttl: 500, faultRate: 8, loss: 0, foreign: 0, once: 0 },
  },
  {
    rule: 'votes that differ are raised to the greatest token, and a quorum confirms it',
    changes: [
      {
        file: 'fencing.ts',
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
    choices: FORGETFUL,
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
    choices: FORGETFUL,
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
    choices: { rates: 0.004, delay: 0.1, faultRate: 8, once: 0 },
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
        from: `const isOurs = value !== '' && this.#key(resource)?.value === value;`,
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
        from: '    this.#promoteOnlooker();\n    this.#returnVotes(attempt);\n',
        to: '    this.#promoteOnlooker();\n',
      },
    ],
    sees: /LEFT BEHIND/,
    choices: CALM,
  },
  {
    rule: 'a call for several resources holds nothing behind what it waits for',
    changes: [
      {
        file: 'several.ts',
        from: 'await this.#giveBack(this.#resources.slice(this.#resources.indexOf(resource)));',
        to: 'await this.#giveBack([resource]);',
      },
    ],
    sees: /STUCK/,
    choices: { several: 0.3, resources: 2, faultRate: 3, waits: 1e9, forget: 0 },
  },
  {
    rule: 'a value is used for one attempt',
    changes: [
      {
        file: 'lock-node.ts',
        from: 'return `${value.slice(0, dot + 1)}${Number(value.slice(dot + 1)) + 1}`;',
        to: 'return value;',
      },
    ],
    sees: /TWO HOLDERS|TOKEN/,
  },
  {
    rule: 'the count of a deposit does not change once it was sent',
    changes: [
      {
        file: 'attempt.ts',
        from: 'ttl: next.ttl, count: next.count, proposal }',
        to: 'ttl: next.ttl, count: 1, proposal }',
      },
    ],
    sees: TOKEN,
    choices: { faultRate: 8, once: 0 },
  },
  {
    rule: 'a caller begins only if the lease is valid in its own turn',
    changes: [
      { file: QUEUE, from: 'if (left > 0) return caller.granted(', to: 'if (left > -1e9) return caller.granted(' },
      { file: 'redlock.ts', from: 'if (lock.isValid && !call.isAborted)', to: 'if (!call.isAborted)' },
    ],
    sees: /invalid when given/,
    choices: { blocks: 0.05 },
  },
  {
    rule: 'a node in quarantine serves nobody',
    changes: [{ file: NODE, from: 'const votes = this.quarantine === 0;', to: 'const votes = true;' }],
    sees: /TWO HOLDERS|TOKEN/,
    choices: FORGETFUL,
  },
  {
    rule: 'late votes of a denied attempt go back',
    changes: [
      {
        file: QUEUE,
        from: '    if (attempt.isDenied) {\n      this.#returnVotes(attempt);\n',
        to: '    if (attempt.isDenied) {\n',
      },
    ],
    sees: /LEFT BEHIND/,
    choices: CALM,
  },
  {
    rule: 'a process takes its place before a node serves anybody',
    changes: [{ file: NODE, from: STAND + SERVE, to: SERVE + STAND }],
    sees: /OVERTAKEN/,
    choices: PATIENT,
  },
  {
    rule: 'callers arrive on the clock of the nodes',
    changes: [{ file: 'pool.ts', from: 'return this.#dates.at(moment);', to: 'return moment.wall * 1_000;' }],
    sees: /OVERTAKEN|STUCK/,
    choices: PATIENT,
  },
  {
    rule: 'a release that is followed by a question serves nobody',
    changes: [{ file: NODE, from: "if (what !== 'followed' && votes && this", to: 'if (votes && this' }],
    sees: /OVERTAKEN/,
    choices: PATIENT,
  },
  {
    rule: 'a waiting process asks again now and then',
    changes: [
      {
        file: QUEUE,
        from: 'clock.schedule(Math.max(1, Math.min(free + 1, head.retryIn())), () => this.#ask());',
        to: 'clock.schedule(1e9 + free, () => this.#ask());',
      },
    ],
    sees: /STUCK/,
    choices: { loss: 1 },
  },
  {
    rule: 'the place in the queue is that of the process, not of one caller',
    changes: [
      {
        file: QUEUE,
        from: "if (this.#callers.size > 0) return void (isAhead && this.#state === 'waiting' && this.#ask());",
        to: 'if (this.#callers.size > 0) return this.#attempts.leave();',
      },
    ],
    sees: TWO,
    choices: { ...CALM, waits: 300 },
  },
  {
    rule: 'a vote that nobody waits for goes back',
    changes: [
      {
        file: 'local-queues.ts',
        from: 'if (queue !== undefined) return queue.handedOff(node, message);',
        to: 'return queue?.handedOff(node, message);',
      },
    ],
    sees: /LEFT BEHIND/,
    choices: { ...CALM, waits: 300 },
  },
  {
    rule: 'a lease passes only to callers that came no later than others elsewhere',
    changes: [{ file: QUEUE, from: 'Math.min(date, attempt.oldest + AHEAD * 1_000)', to: 'Infinity' }],
    sees: /OVERTAKEN/,
    choices: { ...PATIENT, workers: 4 },
  },
  {
    rule: 'a lock that is never released ends when its lease is over',
    changes: [
      {
        file: 'held-lock.ts',
        from: 'if (this.remainingAt(now) < 1) return this.#expire(now);',
        to: 'if (this.remainingAt(now) < 1) return;',
      },
    ],
    sees: /STUCK/,
    choices: { forget: 0.02 },
  },
  {
    rule: 'a late answer does not end the place of callers that have come since',
    changes: [{ file: QUEUE, from: "this.#state !== 'idle' && !head && !this.#lease", to: '!head && !this.#lease' }],
    sees: /OVERTAKEN/,
    choices: { ...PATIENT, tail: 0.1, processes: 3, workers: 2, tries: 0.2 },
  },
  {
    rule: 'reading a record is promising',
    changes: [{ file: RECORDS, from: '    entry.promised = { token, value };\n', to: '' }],
    sees: ANSWERS,
    choices: ONCE,
  },
  {
    rule: 'a record that is found is settled before it is told',
    changes: [
      {
        file: REGISTER,
        from: 'copiesOf(find, answers) >= this.pool.quorum || (await',
        to: 'copiesOf(find, answers) >= 0 || (await',
      },
    ],
    sees: ANSWERS,
    choices: ONCE,
  },
  {
    rule: 'an answer is told once a quorum has it',
    changes: [
      {
        file: REGISTER,
        from: 'this.#ask(operation, this.#counts(operation.resource, isSettled), (all)',
        to: 'this.#ask(operation, () => [] as Answers, (all)',
      },
    ],
    sees: ANSWERS,
    choices: ONCE,
  },
  {
    rule: 'a record is settled only by the greatest ballot that has a promise',
    changes: [
      {
        file: RECORDS,
        from: `if (compare({ token, value }, entry.promised) < 0) return { kind: 'superseded' };`,
        to: '',
      },
    ],
    sees: ANSWERS,
    choices: ONCE,
  },
  {
    rule: 'a reader without a lock tells only what a quorum has alike',
    changes: [
      {
        file: REGISTER,
        from: 'return most.count < quorum ? undefined : { answer: most.answer };',
        to: 'return most.count < 1 ? undefined : { answer: most.answer };',
      },
    ],
    sees: ANSWERS,
    choices: ONCE,
  },
  {
    rule: 'the promise before it stands again when an attempt has failed',
    changes: [
      { file: RECORDS, from: 'else if (former === undefined) this', to: 'else if (operation !== undefined) this' },
    ],
    sees: ANSWERS,
    choices: { ...ONCE, ttl: 200, fails: 0.5, rates: 0, nodes: 5 },
  },
  {
    rule: 'votes have opened a record for the caller that asked, not for the next one of its process',
    changes: [
      { file: 'redlock.ts', from: 'lock.opened === own.opens', to: 'lock.opened !== undefined' },
      { file: 'lease.ts', from: '    this.opened = undefined;\n    this.token += 1;', to: '    this.token += 1;' },
      { file: QUEUE, from: 'if (lease.opened !== head.opens) lease.withdrawRecord();', to: '' },
    ],
    sees: ANSWERS,
    choices: { ...ONCE, processes: 2, workers: 4, ttl: 200, fails: 0 },
  },
];
