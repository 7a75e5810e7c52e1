import type { Control } from './control.js';
import { CONTROLS_OF_PROGRAMS } from './controls-of-programs.js';
import { NODE_CONTROLS } from './node-controls.js';

export const CONTROLS: readonly Control[] = [
  {
    name: 'quarantine off',
    patches: [],
    weakness: 'no quarantine',
    breaks: ['exclusion', 'token order'],
    seeds: 1_000,
  },
  {
    name: 'greatest counter as the token',
    patches: [
      {
        file: 'lib/core/port/fencing.ts',
        text: 'return [...fences].sort((a, b) => a - b)[quorum - 1];',
        replacement: 'return Math.max(...fences);',
      },
      {
        file: 'lib/core/port/fencing.ts',
        text: 'return fences.filter((fence) => fence >= token).length >= quorum;',
        replacement: 'return true;',
      },
    ],
    breaks: ['token order'],
    seeds: 30_000,
  },
  {
    name: 'suspensions that are taken for clocks that were set',
    patches: [
      { file: 'lib/core/time/suspension-watch.ts', text: '+= suspended;', replacement: '+= 0;' },
      // So it is also what the program would know in the middle of a suspension.
      {
        file: 'test/simulation/world/suspension.ts',
        text: 'before.monotonic + time - this.#since',
        replacement: 'before.monotonic',
      },
    ],
    breaks: ['exclusion'],
    seeds: 1_000,
  },
  {
    name: 'counters that begin at zero',
    patches: [
      {
        file: 'lib/memory/memory-fences.ts',
        text: 'Math.max(proposal, ...resources.map((resource) => this.#next(resource)))',
        replacement: 'Math.max(...resources.map((resource) => this.#next(resource)))',
      },
    ],
    breaks: ['token order'],
    seeds: 1_000,
  },
  {
    name: 'votes that come with one token only',
    patches: [
      {
        file: 'lib/memory/memory-fences.ts',
        text: 'this.raise(resource, first + tokens - 1);',
        replacement: 'this.raise(resource, first);',
      },
    ],
    breaks: ['token order'],
    seeds: 1_000,
  },
  {
    name: 'the same token for whomever a lock passes to',
    patches: [
      {
        file: 'lib/core/acquire/callers/caller-queues.ts',
        text: ', won.passes + 1',
        replacement: '',
      },
    ],
    breaks: ['token order'],
    seeds: 1_000,
  },
  {
    name: 'a lock that passes on and is given back as well',
    patches: [
      {
        file: 'lib/core/lease/release.ts',
        text: 'callers.passOn(lease, won);\n    return undefined;',
        replacement: 'callers.passOn(lease, won);',
      },
    ],
    breaks: ['exclusion'],
    seeds: 1_000,
  },
  {
    name: 'votes that go on counting when the lock is held',
    patches: [
      {
        file: 'lib/core/acquire/line/line-wait.ts',
        text: 'nor anything else of what was won.\n      this.#state = ASKING;',
        replacement: 'nor anything else of what was won.',
      },
      {
        file: 'lib/core/acquire/token-search.ts',
        text: '!this.#isOver && this.searched.isFound()',
        replacement: 'this.searched.isFound()',
      },
    ],
    breaks: ['token stays'],
    seeds: 1_000,
  },
  {
    name: 'no validity check',
    patches: [
      {
        file: 'lib/core/acquire/single-round.ts',
        text: 'return validity.remaining(pool.clock) > 0 ? {',
        replacement: 'return true ? {',
      },
      {
        file: 'lib/core/acquire/round.ts',
        text: 'if (validity.remaining(clock) <= 0)',
        replacement: 'if (false)',
      },
      {
        file: 'lib/core/acquire/acquisition.ts',
        text: 'if (ready && ready.validity.remainingAt(now) > 0 &&',
        replacement: 'if (ready &&',
      },
      {
        file: 'lib/core/acquire/caller-request.ts',
        text: 'if (ready && ready.validity.remainingAt(now) > 0) return ready;',
        replacement: 'return ready;',
      },
    ],
    breaks: ['valid when taken'],
    seeds: 3_000,
  },
  {
    name: 'release without compare',
    patches: [],
    weakness: 'release without compare',
    breaks: ['exclusion'],
    seeds: 500,
  },
  {
    // Where no node forgets unnoticed, nobody can have had the lock meanwhile: without quarantine, then.
    name: 'healed votes counted at once',
    patches: [
      {
        file: 'lib/memory/memory-entries.ts',
        text: "if (entries.includes(undefined)) return 'missing';",
        replacement: '',
      },
    ],
    weakness: 'no quarantine',
    judge: 'continuity',
    breaks: ['continuity'],
    seeds: 1_000,
  },
  {
    name: 'connections that send again what was not answered',
    patches: [],
    weakness: 'replaying connections',
    breaks: ['given back stays away'],
    seeds: 500,
  },
  ...NODE_CONTROLS,
  ...CONTROLS_OF_PROGRAMS,
];
