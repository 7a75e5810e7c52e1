import type { Machine } from './machine.js';
import type { SimulatedNode } from './simulated-node.js';
import type { World } from './world.js';

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
}

/** One connection from its start to its end: whatever is sent into it comes out in order, or not at all. */
export class Pipe {
  #isOpen = true;
  readonly #run: number;
  readonly #underWay = new Set<Batch>();
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

  /** Has `run` done at the node. */
  send(run: () => void): void {
    const turn = this.world.events;
    if (this.#requests.turn === turn) return void this.#requests.tasks.push(run);
    const batch: Batch = { turn, tasks: [run] };
    this.#requests = batch;
    this.#underWay.add(batch);
    this.#lastRequest = this.#arrival(this.#lastRequest, this.ends.link.requestsBlockedUntil);
    this.world.at(this.#lastRequest, () => {
      this.#underWay.delete(batch);
      this.#arrive(batch);
    });
  }

  /** Has `take` done at the client, unless the connection breaks before. */
  reply(take: () => void): void {
    if (!this.#isOpen) return;
    const turn = this.world.events;
    if (this.#replies.turn === turn) return void this.#replies.tasks.push(take);
    const batch: Batch = { turn, tasks: [take] };
    this.#replies = batch;
    this.#lastReply = this.#arrival(this.#lastReply, this.ends.link.repliesBlockedUntil);
    const arrive = (): void => {
      for (const task of batch.tasks) if (this.#isOpen) task();
    };
    this.world.at(this.#lastReply, () => this.ends.machine.take(arrive));
  }

  /** The end: of what is under way the node gets a part, the first of it, now or as late as zombies come. */
  cut(): void {
    this.#isOpen = false;
    const { dice } = this.world;
    const sent = [...this.#underWay];
    const kept = sent.slice(0, dice.whole(0, sent.length)).map(({ turn, tasks }): Batch => ({ turn, tasks }));
    for (const batch of sent) batch.tasks = [];
    const latest = dice.pick([10, 60, 250]);
    const delays = kept.map(() => dice.between(0, latest)).sort((a, b) => a - b);
    kept.forEach((batch, index) => {
      if (this.ends.link.zombies) this.world.in(delays[index]!, () => this.#arrive(batch));
      else this.#arrive(batch);
    });
  }

  #arrive({ tasks }: Batch): void {
    const { node } = this.ends;
    // What was sent to an earlier run of the node is lost with its connection.
    if (tasks.length === 0 || node.run !== this.#run) return;
    node.receive(this, () => {
      for (const task of tasks) task();
    });
  }

  /** Never before what was sent earlier. */
  #arrival(last: number, blockedUntil: number): number {
    const { delay, jitter } = this.ends.link;
    const travel = delay + this.world.dice.fraction() ** 3 * jitter;
    return Math.max(last, Math.max(this.world.now, blockedUntil) + travel);
  }
}
