import type { Control } from './control.js';

/** What protects programs that compute, release or ask at the wrong moment, and those whose wall clocks are set. */
export const CONTROLS_OF_PROGRAMS: readonly Control[] = [
  {
    name: 'callers who are decided together, and go on together',
    patches: [
      {
        file: 'lib/core/acquire/acquisition.ts',
        text: 'await this.#turn();\n    const isEnough',
        replacement: 'const isEnough',
      },
    ],
    breaks: ['valid when taken'],
    seeds: 5_500,
  },
  {
    name: 'callers who go on in their turns, whatever has become of their leases',
    patches: [
      {
        file: 'lib/core/acquire/acquisition.ts',
        text: 'let ready = await this.#ready(won, request);',
        replacement:
          'await this.#turn();\n      request.acquired(won, clock.now());\n      request.begin(won, clock.now());\n      return won;\n      let ready: Acquired | undefined = won;',
      },
    ],
    breaks: ['valid when taken'],
    seeds: 200,
  },
  {
    name: 'a loss that is told before it has happened',
    patches: [
      {
        file: 'lib/core/lease/lease.ts',
        text: "this.#state = 'lost';\n    this.#claim.finish();\n",
        replacement: '',
      },
      {
        file: 'lib/core/lease/lease.ts',
        text: "this.context.emit({ type: 'lost'",
        replacement: "this.#state = 'lost';\n    this.#claim.finish();\n    this.context.emit({ type: 'lost'",
      },
    ],
    breaks: ['exclusion', 'lost stays lost'],
    seeds: 100,
  },
  {
    name: 'a lost lock that still stands in its line when its program is told',
    patches: [
      {
        file: 'lib/core/lease/loss-signal.ts',
        text: 'first();\n    // A timer',
        replacement: '// A timer',
      },
      {
        file: 'lib/core/lease/loss-signal.ts',
        text: 'this.#abort!.abort(error));\n',
        replacement: 'this.#abort!.abort(error));\n    first();\n',
      },
    ],
    breaks: ['exclusion', 'lost stays lost'],
    seeds: 4_000,
  },
  {
    name: 'waits that go by the wall clock',
    patches: [
      {
        file: 'lib/core/quorum/outcome/wait-budget.ts',
        text: 'return elapsed(this.#since, now);',
        replacement: 'return now.wall - this.#since.wall;',
      },
    ],
    breaks: ['waits last', 'waits end'],
    seeds: 100,
  },
  {
    name: 'leases that go by the wall clock',
    patches: [
      {
        file: 'lib/core/time/validity.ts',
        text: 'return this.length - elapsed(this.since, now);',
        replacement: 'return this.length - (now.wall - this.since.wall);',
      },
    ],
    breaks: ['exclusion', 'leases last', 'validity ends once'],
    seeds: 100,
  },
  {
    name: 'wall clocks that were set taken for suspensions',
    patches: [
      {
        file: 'lib/core/time/suspension-watch.ts',
        text: 'if (Number.isNaN(grown)) ',
        replacement: '',
      },
    ],
    breaks: ['waits last', 'leases last'],
    seeds: 100,
  },
];
