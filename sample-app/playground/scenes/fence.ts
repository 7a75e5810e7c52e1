import type { Process } from '../../../test/model/world.js';
import type { Held } from '../stage.js';
import { Stage } from '../stage.js';
import type { Frame, Played } from './scene.js';

const LENGTH = 8_200;
const TTL = 3_000;
const FREEZE_AT = 1_200;
const FROZEN = 5_500;
const STOCK = 'stock';

/** A store that compares tokens, if it has the fence. */
class Store {
  #latest = 0;
  late = 0;

  constructor(
    readonly stage: Stage,
    readonly lane: string,
    readonly hasFence: boolean,
  ) {}

  /** A write with a smaller token than an earlier one comes from a holder that has lost its lock. */
  write(token: number): boolean {
    const isLate = token < this.#latest;
    const { recorder } = this.stage;
    if (isLate && this.hasFence) {
      recorder.note(this.lane, `refuses the write with token ${token}: ${this.#latest} was here`, 'good');
      return false;
    }
    this.#latest = Math.max(this.#latest, token);
    this.late += isLate ? 1 : 0;
    recorder.note(this.lane, `takes the write with token ${token}`, isLate ? 'bad' : 'plain');
    if (isLate) {
      const from = this.stage.world.time;
      recorder.alarms.push({ from, to: from + 1_200, text: 'An old write overwrites a newer one' });
    }
    return true;
  }
}

async function work(store: Store, server: Process, held: Held): Promise<void> {
  const { stage, lane } = store;
  await stage.world.sleep(server, 900);
  await stage.say(server.channel, lane, `write, token ${held.token}`);
  const isTaken = store.write(held.token);
  await stage.say(lane, server.channel, isTaken ? 'done' : 'refused', {
    tone: isTaken ? 'plain' : 'good',
    hears: server,
  });
  held.end();
}

async function play(hasFence: boolean): Promise<Played> {
  const stage = new Stage();
  const [one, other] = [stage.server('Server 1'), stage.server('Server 2')];
  const store = new Store(stage, stage.lane('store', 'Store', 'store'), hasFence);
  const call = async (server: Process, at: number): Promise<void> => {
    await stage.wait(at);
    await work(store, server, await stage.take(server, STOCK, { ttl: TTL, waitTimeout: 8_000 }));
  };
  void call(one, 300);
  void call(other, 1_000);
  stage.world.at(FREEZE_AT, () => stage.world.pause(one, FROZEN));
  const trace = await stage.play(LENGTH);
  const isRefused = trace.notes.some(({ text }) => text.startsWith('refuses'));
  if (store.late > 0) return { trace, tone: 'bad', verdict: 'The late write is taken: newer data is lost' };
  return {
    trace,
    tone: isRefused ? 'good' : 'bad',
    verdict: isRefused ? 'The late write is refused' : 'No late write came',
  };
}

export const fence: Frame = {
  id: 'fence',
  title: 'A frozen holder',
  short: 'Frozen holder',
  lead: 'Server 1 has the lock, and is paused for 5.5 s. Its lease ends, and Server 2 gets the lock. Then Server 1 goes on, and writes.',
  scenes: [
    {
      name: 'No fence',
      tells: 'No lock can stop a write that is already decided. The store takes it.',
      play: () => play(false),
    },
    {
      name: 'With a fence',
      tells: 'Each lock has a number, the fencing token. The store refuses a smaller one.',
      play: () => play(true),
    },
  ],
};
