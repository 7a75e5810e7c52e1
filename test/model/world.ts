import { Agenda, dice, type Event, type Task } from './agenda.js';
import { elapsed, type Clock, type Moment } from '../../lib/engine/clock.js';
import { Redlock } from '../../lib/engine/redlock.js';
import type { Answer, LockNode, NodeListener, Operation, Unknown } from '../../lib/engine/lock-node.js';
import { MemoryData } from '../../lib/memory/memory-node.js';

/** How many reactions to promises follow from each other at most. */
const TICKS = 24;
const SETTLED = Promise.resolve();
const isPage = typeof process === 'undefined';

/** How a world is. */
export interface Terms {
  readonly nodes: number;
  /** Ms of one way. */
  readonly delay: number;
  /** Ms of the first ways, in the order in which they begin. @default by chance */
  readonly ways?: readonly number[];
  /** The share of ways that take up to ten times as long. */
  readonly tail?: number;
  /** The share of hand-off messages that are lost. */
  readonly loss?: number;
  /** By how much clocks run too fast or too slow. */
  readonly rates?: number;
  readonly wallRates?: number;
  /** The share of turns of the event loop before which other work blocks it. */
  readonly blocks?: number;
  readonly maxTtl: number;
  readonly nodeTimeout: number;
  /** Whether hand-off messages may overtake answers. */
  readonly reorder?: boolean;
}

/** A node of the world, with its data and its connections. */
export class SimulatedNode {
  state: 'up' | 'down' | 'frozen' = 'up';
  readonly data: MemoryData;
  readonly links = new Map<string, Link>();
  inbox: Task[] = [];

  constructor(
    readonly index: number,
    world: World,
  ) {
    const rate = 1 + world.rate();
    const offset = world.random() * 1e6;
    this.data = new MemoryData({ now: () => offset + world.time * rate, date: () => world.micros }, world.terms.maxTtl);
  }
}

/** The connection of a process to a node, as the engine sees it. */
class Link implements LockNode {
  readonly name: string;
  isUp = true;
  epoch = 0;
  lastIn = 0;
  lastOut = 0;
  listener: NodeListener | undefined;
  readonly pending = new Set<(answers: Unknown) => void>();

  constructor(
    private readonly world: World,
    readonly process: Process,
    readonly node: SimulatedNode,
  ) {
    this.name = `n${node.index}`;
    this.listen();
  }

  listen(): void {
    this.isUp = true;
    this.node.links.set(this.process.channel, this);
    this.node.data.subscribe(this.process.channel, (message) => {
      if (this.world.random() < this.world.loss) return;
      this.#toProcess(this.epoch, () => this.listener?.handedOff(message), this.world.terms.reorder === true);
    });
  }

  send(operations: readonly Operation[], answered: (answers: readonly Answer[] | Unknown) => void): void {
    if (!this.isUp)
      return this.world.soon(this.process, () => answered({ kind: 'unknown', reason: 'down', sent: false }));
    const { world, epoch } = this;
    const sent = this.process.clock.now().monotonic;
    const settle = (answers: readonly Answer[] | Unknown): void => {
      this.pending.delete(settle);
      answered(answers);
    };
    this.pending.add(settle);
    this.lastIn = Math.max(this.lastIn + 1e-6, world.time + world.trip());
    const arrive = (): void => this.#arrive(operations, epoch, sent, settle);
    world.at(this.lastIn, () => {
      if (this.epoch === epoch) arrive();
      // Bytes of a broken connection may still arrive, later than those of the next one.
      else if (world.random() < 0.5) world.after(world.random() * 20 * world.terms.delay, arrive);
    });
  }

  #arrive(
    operations: readonly Operation[],
    epoch: number,
    sent: number,
    settle: (answers: readonly Answer[]) => void,
  ): void {
    if (this.node.state === 'down') return;
    if (this.node.state === 'frozen')
      return void this.node.inbox.push(() => this.#arrive(operations, epoch, sent, settle));
    const answers = this.node.data.execute(this.process.channel, operations);
    const { micros } = this.world;
    this.#toProcess(epoch, () => {
      this.listener?.dated(micros, sent, this.process.clock.now().monotonic);
      settle(answers);
    });
  }

  #toProcess(epoch: number, task: Task, mayOvertake = false): void {
    const { world } = this;
    if (epoch !== this.epoch) return;
    const at = world.time + world.trip();
    if (!mayOvertake) this.lastOut = Math.max(this.lastOut + 1e-6, at);
    world.at(mayOvertake ? at : this.lastOut, () => {
      if (this.epoch === epoch) world.on(this.process, task);
    });
  }

  break(ms: number): void {
    this.epoch += 1;
    this.isUp = false;
    this.node.data.unsubscribe(this.process.channel);
    const pending = [...this.pending];
    this.pending.clear();
    this.world.on(this.process, () =>
      pending.forEach((settle) => settle({ kind: 'unknown', reason: 'broken', sent: true })),
    );
    const { epoch } = this;
    const reconnect = (): void => {
      if (this.epoch !== epoch || this.process.isDead) return;
      if (this.node.state === 'down') return void this.world.after(20, reconnect);
      this.listen();
    };
    this.world.after(ms, reconnect);
  }

  probe(): void {}

  open(listener: NodeListener): Promise<void> {
    this.listener = listener;
    const now = this.process.clock.now().monotonic;
    listener.dated(this.world.micros, now, now);
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A process with an engine of its own. */
export class Process {
  readonly channel: string;
  isDead = false;
  pausedUntil = 0;
  /** Ms by which its wall clock was changed. */
  step = 0;
  slept = 0;
  asleepFrom: number | undefined;
  wokeAt = -Infinity;
  setBackAt = -Infinity;
  readonly links: readonly Link[];
  readonly clock: Clock;
  readonly redlock: Redlock;
  open = 0;

  constructor(
    private readonly world: World,
    readonly id: number,
  ) {
    this.channel = `p${String(id).padStart(3, '0')}`;
    this.clock = this.#makeClock();
    this.links = world.nodes.map((node) => new Link(world, this, node));
    const { maxTtl, nodeTimeout } = world.terms;
    this.redlock = new Redlock({
      nodes: this.links,
      clock: this.clock,
      random: { id: () => this.channel, fraction: world.random },
      mark: `${this.channel}:`,
      nodeTimeout,
      maxTtl,
      defaults: { quorumTimeout: Infinity },
    });
  }

  #makeClock(): Clock {
    const { world } = this;
    const rate = 1 + world.rate();
    const offset = world.random() * 1e6;
    const wallRate = 1 + (world.random() * 2 - 1) * (world.terms.wallRates ?? 0);
    const awake = (): number =>
      world.time - this.slept - (this.asleepFrom === undefined ? 0 : world.time - this.asleepFrom);
    const now = (): Moment => ({
      monotonic: offset + awake() * rate,
      wall: (offset + world.time * rate) * wallRate + this.step,
    });
    return {
      now,
      schedule: (delay, task) => {
        const since = now();
        let event: Event;
        const wait = (left: number): void => {
          event = world.after(left / rate, () => world.on(this, () => (event.task === undefined ? undefined : due())));
        };
        const due = (): void => {
          const left = delay - elapsed(since, now());
          if (left > 1e-6) wait(left);
          else task();
        };
        wait(delay);
        return () => (event.task = undefined);
      },
      afterInput: (task) => task(),
      nextTurn: (task) => world.soon(this, task),
    };
  }
}

/** One virtual clock, nodes in memory, processes with an engine each, a network with delays and faults. */
export class World {
  time = 0;
  loss: number;
  readonly random: () => number;
  readonly nodes: readonly SimulatedNode[];
  readonly processes: Process[] = [];
  #serial = 0;
  #ways = 0;
  readonly #agenda = new Agenda();
  /** Whether a process has done something in this event. */
  #isTouched = false;

  constructor(
    seed: number,
    readonly terms: Terms,
  ) {
    this.random = dice(seed);
    this.loss = terms.loss ?? 0;
    this.nodes = Array.from({ length: terms.nodes }, (_, index) => new SimulatedNode(index, this));
  }

  /** The wall clock of all nodes, microseconds. */
  get micros(): number {
    return this.time * 1_000 + 1e15;
  }

  rate(): number {
    return (this.random() * 2 - 1) * (this.terms.rates ?? 0);
  }

  /** Ms of one way. */
  trip(): number {
    const { delay, tail = 0, ways = [] } = this.terms;
    const chosen = ways[this.#ways];
    this.#ways += 1;
    if (chosen !== undefined) return chosen;
    return delay * (0.5 + this.random()) + (this.random() < tail ? delay * 10 * this.random() : 0);
  }

  at(time: number, task: Task): Event {
    const event = { at: time, serial: (this.#serial += 1), task };
    this.#agenda.add(event);
    return event;
  }

  after(ms: number, task: Task): Event {
    return this.at(this.time + ms, task);
  }

  soon(process: Process, task: Task): void {
    const { blocks = 0, maxTtl } = this.terms;
    if (blocks > 0 && this.random() < blocks) this.pause(process, 1.5 * maxTtl * this.random());
    this.after(0.001, () => this.on(process, task));
  }

  /** Runs a task on a process: later if it stands still, never if it is dead. */
  on(process: Process, task: Task): void {
    if (process.isDead) return;
    if (this.time < process.pausedUntil) this.at(process.pausedUntil, () => this.on(process, task));
    else {
      this.#isTouched = true;
      task();
    }
  }

  async run(until: number, isDone = (): boolean => false): Promise<void> {
    for (
      let { first } = this.#agenda;
      first !== undefined && first.at <= until && !isDone();
      { first } = this.#agenda
    ) {
      const { at, task } = this.#agenda.take();
      if (task === undefined) continue;
      this.time = at;
      task();
      // What was settled goes on before time does: in Node.js a tick comes after all reactions, in a page nothing tells when they are over.
      if (!this.#isTouched) continue;
      this.#isTouched = false;
      if (isPage) for (let tick = 0; tick < TICKS; tick += 1) await SETTLED;
      else await new Promise(process.nextTick);
    }
    if (!isDone()) this.time = Math.max(this.time, until);
  }

  /** Resolves after so many ms, when the process does not stand still; never if it is dead. */
  sleep(process: Process, ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, () => this.on(process, resolve)));
  }

  start(): Process {
    const process = new Process(this, this.processes.length);
    this.processes.push(process);
    return process;
  }

  down(node: SimulatedNode, ms: number, forgets: boolean): void {
    if (node.state !== 'up') return;
    node.state = 'down';
    for (const link of node.links.values()) link.break(ms + 1);
    this.after(ms, () => {
      node.state = 'up';
      if (forgets) node.data.clear(this.terms.maxTtl);
    });
  }

  freeze(node: SimulatedNode, ms: number): void {
    if (node.state !== 'up') return;
    node.state = 'frozen';
    this.after(ms, () => {
      node.state = 'up';
      const { inbox } = node;
      node.inbox = [];
      for (const task of inbox) task();
    });
  }

  kill(process: Process, noticedAfter: number): void {
    process.isDead = true;
    this.after(noticedAfter, () => process.links.forEach((link) => link.node.data.unsubscribe(process.channel)));
  }

  pause(process: Process, ms: number): void {
    process.pausedUntil = Math.max(process.pausedUntil, this.time + ms);
  }

  /** The machine is suspended: its monotonic clock stands still, its wall clock is right afterwards. */
  suspend(process: Process, ms: number): void {
    if (process.pausedUntil > this.time) return;
    this.pause(process, ms);
    process.asleepFrom = this.time;
    process.wokeAt = Math.max(process.wokeAt, this.time + ms);
    this.after(ms - 1e-6, () => {
      process.slept += ms - 1e-6;
      process.asleepFrom = undefined;
    });
  }
}
