import { SingleCall } from '../../lib/core/port/single-call.js';
import { Claim } from '../../lib/core/port/claim.js';
import { InLineAcquisition } from '../../lib/core/acquire/line/in-line-acquisition.js';
import type { Acquired } from '../../lib/core/acquire/request.js';
import { NodePool } from '../../lib/core/quorum/node-pool.js';
import { DEFAULT_LOCK_OPTIONS, type LockOptions } from '../../lib/core/api/options.js';
import type { Denied } from '../../lib/core/quorum/outcome/outcome.js';
import { WaitBudget } from '../../lib/core/quorum/outcome/wait-budget.js';
import type { Random } from '../../lib/core/collections/random.js';
import { AbortSource } from '../../lib/core/time/abort.js';
import type { MemoryNode } from '../../lib/memory/memory-node.js';
import { ScriptedNode } from './scripted-node.js';
import type { VirtualClock } from './virtual-clock.js';

/** Ms. */
const KEPT = 500;

/** Where rivals meet. */
export interface Arena {
  readonly memory: readonly MemoryNode[];
  readonly clock: VirtualClock;
}

interface RivalSettings {
  /** What chance says, always or each time. */
  readonly fraction?: number | (() => number);
  readonly nodeTimeout?: number;
}

/** One process that contends for the resource `a`, with a way of its own to the nodes. */
export class Rival {
  readonly nodes: readonly ScriptedNode[];
  readonly closing = new AbortSource();
  readonly caller = new AbortController();
  /** What its caller in line was told, round by round. */
  readonly lost: Denied[] = [];
  gaveUp = 0;
  readonly #pool: NodePool;

  constructor(
    private readonly arena: Arena,
    readonly value: string,
    { fraction = 0.5, nodeTimeout }: RivalSettings = {},
  ) {
    const { clock, memory } = arena;
    this.nodes = memory.map((node) => new ScriptedNode(node, clock));
    let claims = 0;
    const random: Random = {
      value: () => ((claims += 1) === 1 ? value : `${value}/${claims}`),
      fraction: typeof fraction === 'number' ? () => fraction : fraction,
    };
    this.#pool = new NodePool(this.nodes, { clock, random, nodeTimeout });
  }

  /** Polls so rarely, unless it is told otherwise, that it gets the resource in time only by grants. */
  contend(options: LockOptions = {}): Promise<Acquired> {
    const polling = { retryDelay: 60_000, retryJitter: 0, waitTimeout: Infinity, signal: this.caller.signal };
    const terms = { ...DEFAULT_LOCK_OPTIONS, ...polling, ...options };
    const budget = new WaitBudget(this.#pool, terms, this.closing);
    const start = this.arena.clock.now();
    const report = (outcome: Denied) => void this.lost.push(outcome);
    const request = { resources: ['a'], terms, budget, start, report };
    const queue = { hasEverQueued: false, report: () => undefined, next: () => void (this.gaveUp += 1) };
    return new InLineAcquisition(this.#pool, request, queue).run(start);
  }

  /** When each of these was asked of the first node. */
  times(verb: 'acquire' | 'yield' | 'release', node = 0): number[] {
    return this.nodes[node]!.callsOf(verb).map(({ at }) => at);
  }
}

/** Gives the resource `a` back in the name of the claim that holds it with `value`, on all or some nodes. */
export function releaseFor(memory: readonly MemoryNode[], value: string): void {
  for (const node of memory) node.release(new SingleCall(new Claim(['a'], value), 0), 0);
}

/** Has a node's vote for the resource `a` renewed, as a living rival does that asks again, until it is given back. */
export function keepVote({ clock, memory }: Arena, nodeIndex: number, value: string): void {
  memory[nodeIndex]!.set('a', value, KEPT);
  clock.schedule(KEPT / 10, () => {
    if (memory[nodeIndex]!.get('a') === value) keepVote({ clock, memory }, nodeIndex, value);
  });
}
