import { RedlockError } from '../../../lib/engine/errors.js';
import type { Process } from '../../../test/model/world.js';
import { droppedBy, weaknessesOf, type Action } from '../actions.js';
import { seconds, type Span } from '../events.js';
import { Stage, type Held } from '../stage.js';
import type { Played } from './scene.js';

export const NODES = 5;
export const SERVERS = 3;
/** Ms of a world. */
export const LENGTH = 30_000;
const TTL = 3_000;
/** Ms for which a frozen server is paused: longer than its lease. */
const FROZEN = 5_000;
const RESTART = 300;
const OPTIONS = { ttl: TTL, waitTimeout: 8_000, quorumTimeout: 1_000 };

/** A store that all servers write to: what each has read must still be there when it writes. */
class Store {
  version = 0;
  bad = 0;
  refused = 0;
  #latest = 0;

  constructor(
    private readonly stage: Stage,
    readonly lane: string,
  ) {}

  write(seen: number, token: number | undefined): string {
    const { recorder } = this.stage;
    const isOld = token !== undefined && token < this.#latest;
    if (isOld && !recorder.isWithout('fence')) {
      this.refused += 1;
      recorder.note(this.lane, `refuses the late write with token ${token}: ${this.#latest} was here`, 'good');
      return 'refused';
    }
    const isBad = seen !== this.version;
    this.version += 1;
    this.#latest = Math.max(this.#latest, token ?? 0);
    const by = token === undefined ? 'without a token' : `with token ${token}`;
    recorder.note(this.lane, `takes a write ${by}${isBad ? ', AND LOSES a newer one' : ''}`, isBad ? 'bad' : 'plain');
    if (isBad) this.#alarm('An old write overwrites a newer one');
    return 'done';
  }

  #alarm(text: string): void {
    const from = this.stage.world.time;
    this.bad += 1;
    this.stage.recorder.alarms.push({ from, to: from + 1_000, text });
  }
}

/** Servers that want the same lock all the time, over five nodes, and what a reader does to them. */
class FreeWorld {
  readonly stage: Stage;
  readonly servers: readonly Process[];
  readonly store: Store;
  refused = 0;
  readonly #working = new Set<Span>();

  constructor(private readonly actions: readonly Action[]) {
    const watched = { dropped: droppedBy(actions), without: weaknessesOf(actions) };
    this.stage = new Stage({ seed: 5, nodes: NODES, watched });
    const { stage } = this;
    this.servers = Array.from({ length: SERVERS }, (_, index) => stage.server(`Server ${index + 1}`));
    this.store = new Store(stage, stage.lane('store', 'Store', 'store'));
    for (const action of actions) stage.world.at(action.at, () => this.#do(action));
    this.servers.forEach((server, index) => void this.#serve(server, 200 + 400 * index));
  }

  async #serve(server: Process, first: number): Promise<void> {
    const { stage } = this;
    await stage.world.sleep(server, first);
    for (;;) {
      if (stage.recorder.isWithout('lock')) await this.#write(server, undefined);
      else await this.#locked(server);
      await stage.world.sleep(server, 500 + 900 * stage.world.random());
    }
  }

  async #locked(server: Process): Promise<void> {
    const { stage } = this;
    let held: Held;
    try {
      held = await stage.take(server, 'stock', OPTIONS);
    } catch (error) {
      const isQuorum = error instanceof RedlockError && error.code === 'QUORUM_NOT_REACHED';
      this.refused += 1;
      stage.recorder.note(
        server.channel,
        isQuorum ? 'answers 503: too few nodes vote' : 'answers 409: still held',
        'wait',
      );
      return;
    }
    await this.#write(server, held.token);
    held.end();
  }

  async #write(server: Process, token: number | undefined): Promise<void> {
    const { stage, store } = this;
    const seen = store.version;
    const works = token === undefined ? this.#workAlone(server) : undefined;
    await stage.world.sleep(server, 600 + 500 * stage.world.random());
    await stage.say(server.channel, store.lane, token === undefined ? 'write' : `write, token ${token}`);
    const answer = store.write(seen, token);
    await stage.say(store.lane, server.channel, answer, {
      hears: server,
      tone: answer === 'refused' ? 'good' : 'plain',
    });
    if (works === undefined) return;
    works.to = stage.world.time;
    this.#working.delete(works);
  }

  /** Work without a lock: somebody else may be at it. */
  #workAlone(server: Process): Span {
    const { recorder, world } = this.stage;
    const works = recorder.span(server.channel, 'works', 'works without a lock');
    if (this.#working.size > 0) {
      recorder.alarms.push({ from: world.time, to: world.time + 500, text: 'Two work at one time' });
      recorder.note(server.channel, 'WORKS while somebody else does', 'bad');
    }
    this.#working.add(works);
    return works;
  }

  #do({ at, deed, target }: Action): void {
    const { world } = this.stage;
    const node = world.nodes[Number(target)];
    const server = this.servers[Number(target)];
    if (deed === 'stop-node' && node) world.down(node, this.#untilRestart(at, target), true);
    if (deed === 'freeze-node' && node) world.freeze(node, this.#untilRestart(at, target));
    if (deed === 'restart-node' && node?.state === 'up') world.down(node, RESTART, true);
    if (deed === 'freeze-server' && server && !server.isDead) world.pause(server, FROZEN);
    if (deed === 'stop-server' && server && !server.isDead) {
      world.kill(server, 100);
      const { spans } = this.stage.recorder;
      for (const span of spans)
        if (span.lane === server.channel && span.kind !== 'down') span.to = Math.min(span.to, world.time);
    }
  }

  /** A node comes back when the reader restarts it. */
  #untilRestart(at: number, target: string): number {
    const restart = this.actions.find(
      (other) => other.deed === 'restart-node' && other.target === target && other.at > at,
    );
    return restart === undefined ? 10 * LENGTH : restart.at - at;
  }

  async play(): Promise<Played> {
    const { stage, store } = this;
    const trace = await stage.play(LENGTH);
    const [first] = [...trace.alarms].sort((one, other) => one.from - other.from);
    if (first !== undefined) return { trace, tone: 'bad', verdict: `Broken at ${seconds(first.from)}: ${first.text}` };
    const refusals = this.refused > 0 ? `, ${this.refused} calls refused with 503 or 409` : '';
    const late = store.refused > 0 ? `, ${store.refused} late writes refused` : '';
    return { trace, tone: 'good', verdict: `${store.version} writes, none lost${refusals}${late}` };
  }
}

export function playFree(actions: readonly Action[]): Promise<Played> {
  return new FreeWorld(actions).play();
}
