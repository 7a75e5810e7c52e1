import type { LockOptions } from '../../lib/engine/options.js';
import type { Lock } from '../../lib/engine/lock.js';
import { World, type Process, type Terms } from '../../test/model/world.js';
import type { Lane, Message, Span, Tone, Trace } from './events.js';
import { Recorder, type Watched } from './recorder.js';

/** Ms of one way, nearly; long enough to be seen. */
const DELAY = 80;
const TWO = 'Two hold the lock';

/** How a message is said. */
export interface Saying {
  readonly tone?: Tone;
  /** Ms of the way. */
  readonly ms?: number;
  readonly isLost?: boolean;
  /** The process that hears it, which may be paused. @default somebody who always listens */
  readonly hears?: Process;
}

/** What a stage is built for. */
export interface StageOptions extends Partial<Terms> {
  readonly seed?: number;
  readonly watched?: Watched | undefined;
  /** Whether the nodes are drawn. */
  readonly showsNodes?: boolean;
}

/** A lock that somebody has, and how it is drawn. */
export interface Held {
  readonly lock: Lock;
  /** The place of its token among all tokens: the tokens themselves are long numbers. */
  readonly token: number;
  readonly span: Span;
  /** Releases it. */
  end(): void;
}

/** A world with a script: people, servers with the real engine, simulated nodes, and a store. */
export class Stage {
  readonly world: World;
  readonly recorder: Recorder;
  /** Does what is not done by any server, and is never paused. */
  readonly #hand: Process;
  readonly #tokens: number[] = [];
  readonly #holding = new Map<string, Set<Held>>();

  constructor(options: StageOptions = {}) {
    const { seed = 1, watched, showsNodes = true, ...rest } = options;
    this.world = new World(seed, { nodes: 3, delay: DELAY, maxTtl: 3_000, nodeTimeout: 500, ...rest });
    this.recorder = new Recorder(this.world, watched);
    this.#hand = this.world.start();
    if (showsNodes)
      for (const { index } of this.world.nodes)
        this.recorder.lanes.push({ id: `n${index}`, label: `Node ${index + 1}`, kind: 'node' });
  }

  lane(id: string, label: string, kind: Lane['kind']): string {
    this.recorder.lanes.push({ id, label, kind });
    return id;
  }

  server(label: string): Process {
    const process = this.world.start();
    this.recorder.watchProcess(process, label);
    return process;
  }

  /** Resolves after so many ms, also if all servers are paused. */
  wait(ms: number): Promise<void> {
    return this.world.sleep(this.#hand, ms);
  }

  /** Sends a message that is drawn with its text, and resolves when it arrives. */
  say(from: string, to: string, label: string, saying: Saying = {}): Promise<void> {
    const { tone = 'plain', ms = 2 * DELAY, isLost = false, hears = this.#hand } = saying;
    const message: Message = this.recorder.message(from, to, label);
    message.tone = tone;
    if (isLost) message.lost = this.world.time + ms;
    if (message.lost !== undefined) return new Promise(() => undefined);
    return new Promise((resolve) =>
      this.world.after(ms, () =>
        this.world.on(hears, () => {
          message.arrived = this.world.time;
          resolve();
        }),
      ),
    );
  }

  /** Takes a lock with the real engine, and draws the wait and the lease. @throws what the engine throws */
  async take(process: Process, resource: string, options: LockOptions): Promise<Held> {
    const lane = process.channel;
    const waits = this.recorder.span(lane, 'waits', 'asks for the lock');
    try {
      const lock = await process.redlock.acquire(resource, options);
      return this.hold(process, resource, lock);
    } finally {
      waits.to = this.world.time;
    }
  }

  /** Draws a lock that somebody has got. */
  hold(process: Process, resource: string, lock: Lock): Held {
    const { recorder } = this;
    const lane = process.channel;
    const token = this.#placeOf(lock.fencingToken);
    recorder.note(lane, `gets the lock, token ${token}`, 'good');
    const span = recorder.span(lane, 'holds', `token ${token}`);
    recorder.lease(lane, lock.validity);
    recorder.locks.set(span, lock);
    const end = (): void => {
      this.#end(resource, held);
      void lock.release();
    };
    const held: Held = { lock, token, span, end };
    this.#judge(resource, held);
    return held;
  }

  /** Runs the world for so many ms. */
  async play(ms: number): Promise<Trace> {
    await this.world.run(ms);
    for (const all of this.#holding.values()) for (const { span } of all) span.to = Math.min(span.to, ms);
    return this.recorder.traceAt(ms);
  }

  /** Two that have the lock at one time, both by their own clock. */
  #judge(resource: string, held: Held): void {
    const { recorder, world } = this;
    const all = this.#holding.get(resource) ?? new Set<Held>();
    this.#holding.set(resource, all);
    for (const other of all) {
      if (!other.lock.isValid) continue;
      const to = Math.min(world.time + other.lock.validity, world.time + held.lock.validity);
      recorder.alarms.push({ from: world.time, to, text: TWO });
      recorder.note(held.span.lane, 'TWO HOLD the lock at one time', 'bad');
    }
    all.add(held);
  }

  #end(resource: string, held: Held): void {
    const { time } = this.world;
    held.span.to = Math.min(held.span.to, time);
    this.#holding.get(resource)?.delete(held);
    const lease = this.recorder.leases.findLast(({ lane, to }) => lane === held.span.lane && to > time);
    if (lease) lease.to = time;
    for (const alarm of this.recorder.alarms.filter(({ text }) => text === TWO))
      alarm.to = Math.min(alarm.to, Math.max(time, alarm.from + 1));
    if (time < held.span.from + 1) return;
    this.recorder.note(held.span.lane, held.lock.isValid ? 'gives the lock back' : 'finds that its lock is over');
  }

  #placeOf(token: number): number {
    if (!this.#tokens.includes(token)) this.#tokens.push(token);
    return this.#tokens.indexOf(token) + 1;
  }
}
