import type { Control } from './control.js';

/** Protections of the way to the nodes. */
export const NODE_CONTROLS: readonly Control[] = [
  {
    name: 'a grant before the answer that is taken for unwanted',
    patches: [
      {
        file: 'lib/redis/batch/batch-queue.ts',
        text: 'if (claim && batch.sent) return { claim, since: batch.sent };',
        replacement: '',
      },
    ],
    breaks: ['exclusion', 'told in time'],
    seeds: 6_000,
  },
  {
    name: 'refused releases that count as done',
    patches: [
      {
        file: 'lib/redis/owed-releases.ts',
        text: 'this.#stopTimer ??= this.clock.schedule(this.#pause, () => this.#tryAgain());',
        replacement: '',
      },
    ],
    breaks: ['no lock left'],
    seeds: 100,
  },
  {
    name: "no look at the node's clock",
    patches: [
      {
        file: 'lib/redis/trust/node-trust.ts',
        text: 'if (step === 0 || !',
        replacement: 'if (true || !',
      },
    ],
    breaks: ['exclusion'],
    seeds: 2_000,
  },
  {
    name: 'two addresses of one node that both vote',
    patches: [{ file: 'lib/core/quorum/duplicate-servers.ts', text: 'node.bar?.(reason);', replacement: '' }],
    breaks: ['exclusion', 'token order'],
    seeds: 3_000,
  },
  {
    name: 'a server that votes at once at the address of another one',
    patches: [
      {
        file: 'lib/redis/trust/node-trust.ts',
        text: "if (verdict === 'has to wait') this.#distrusted.begin();",
        replacement: '',
      },
    ],
    breaks: ['exclusion', 'token order'],
    seeds: 1_500,
  },
  {
    name: 'counters as far ahead of the clock as anybody likes',
    patches: [
      {
        file: 'lib/memory/memory-refusals.ts',
        text: 'return ahead > 0 ? refusal(outrun(ahead)) : undefined;',
        replacement: 'return undefined;',
      },
      {
        file: 'lib/redis/trust/token-bound.ts',
        text: 'if (token <= this.#most) return true;',
        replacement: 'return true;',
      },
    ],
    breaks: ['token order'],
    seeds: 15_000,
  },
];
