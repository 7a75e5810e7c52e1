import type { Machine } from '../world/machine.js';
import { UNNOTICED } from '../scenario.js';
import type { SimulatedNode } from './simulated-node.js';
import type { World } from '../world/world.js';

/** How the way between one client and one node is; changes while the simulation goes on. */
export interface Link {
  /** Ms that a message travels at least, and how much longer it may take. */
  delay: number;
  jitter: number;
  /** Until when requests, and replies, are held up. */
  requestsBlockedUntil: number;
  repliesBlockedUntil: number;
  /** Whether what was sent over a broken connection may arrive after what is sent over the next one. */
  readonly zombies: boolean;
}

interface Ends {
  readonly machine: Machine;
  readonly node: SimulatedNode;
  readonly link: Link;
}

/** What leaves in one turn of the event loop travels together. */
interface Batch {
  readonly turn: number;
  tasks: (() => void)[];
  /** When it leaves; undefined before the end of its turn. */
  leaves?: number;
}

/** One connection from its start to its end: whatever is sent into it comes out in order, or not at all. */
export class Pipe {
  #isOpen = true;
  readonly #run: number;
  readonly #underWay = new Set<Batch>();
  #ended: () => void = ignore;
  #requests: Batch = { turn: -1, tasks: [] };
  #replies: Batch = { turn: -1, tasks: [] };
  #lastRequest = 0;
  #lastReply = 0;

  constructor(
    private readonly world: World,
    private readonly ends: Ends,
  ) {
    this.#run = ends.node.run;
  }

  /** False once the node was started again, which ended all its connections. */
  get isToThisRun(): boolean {
    return this.ends.node.run === this.#run;
  }

  /** Has `run` done when the node learns that the connection is no more, unless it is no more itself. */
  onEnd(run: () => void): void {
    this.#ended = run;
  }

  /** Has `run` done at the node. */
  send(run: () => void): void {
    const { turn } = this.world;
    if (this.#requests.turn === turn) return void this.#requests.tasks.push(run);
    const batch: Batch = { turn, tasks: [run] };
    this.#requests = batch;
    this.#underWay.add(batch);
    this.world.afterTurn(() => this.#leave(batch));
  }

  /** A process that computes sends nothing before it is through with that. */
  #leave(batch: Batch): void {
    batch.leaves = this.ends.machine.free;
    this.#lastRequest = this.#arrival(this.#lastRequest, batch.leaves, this.ends.link.requestsBlockedUntil);
    this.world.at(this.#lastRequest, () => {
      this.#underWay.delete(batch);
      this.#arrive(batch);
    });
  }

  /** Has `take` done at the client, unless the connection breaks before. */
  reply(take: () => void): void {
    if (!this.#isOpen) return;
    const { turn } = this.world;
    if (this.#replies.turn === turn) return void this.#replies.tasks.push(take);
    const batch: Batch = { turn, tasks: [take] };
    this.#replies = batch;
    this.#lastReply = this.#arrival(this.#lastReply, this.world.now, this.ends.link.repliesBlockedUntil);
    const arrive = (): void => {
      for (const task of batch.tasks) if (this.#isOpen) task();
    };
    this.world.at(this.#lastReply, () => this.ends.machine.take(arrive));
  }

  /** The end: of what is under way the node gets a part, the first of it, now or as late as zombies come. */
  cut(): void {
    this.#isOpen = false;
    const { dice, now } = this.world;
    const { free } = this.ends.machine;
    const sent = [...this.#underWay].filter(({ leaves = free }) => leaves <= now);
    const kept = sent.slice(0, dice.whole(0, sent.length)).map(({ turn, tasks }): Batch => ({ turn, tasks }));
    for (const batch of this.#underWay) batch.tasks = [];
    const latest = dice.pick([10, 60, 250]);
    const delays = kept.map(() => dice.between(0, latest)).sort((a, b) => a - b);
    kept.forEach((batch, index) => {
      if (this.ends.link.zombies) this.world.in(delays[index]!, () => this.#arrive(batch));
      else this.#arrive(batch);
    });
    this.#hangUp(this.ends.link.zombies ? (delays.at(-1) ?? 0) : 0);
  }

  /** The node learns of the end, behind what it still gets: as soon as a message takes, or long after where none can be sent. */
  #hangUp(last: number): void {
    const { dice, now } = this.world;
    const silent = dice.chance(0.2) ? dice.between(0, UNNOTICED) : 0;
    const { link } = this.ends;
    const end: Batch = { turn: -1, tasks: [this.#ended] };
    this.world.at(this.#arrival(now + Math.max(last, silent), now, link.requestsBlockedUntil), () => this.#arrive(end));
  }

  #arrive({ tasks }: Batch): void {
    // What was sent to an earlier run of the node is lost with its connection.
    if (tasks.length === 0 || !this.isToThisRun) return;
    this.ends.node.receive(this, () => {
      for (const task of tasks) task();
    });
  }

  /** Never before what was sent earlier. */
  #arrival(last: number, leaves: number, blockedUntil: number): number {
    const { delay, jitter } = this.ends.link;
    const travel = delay + this.world.dice.fraction() ** 3 * jitter;
    return Math.max(last, Math.max(leaves, blockedUntil) + travel);
  }
}

function ignore(): void {
  // Nobody listens.
}
