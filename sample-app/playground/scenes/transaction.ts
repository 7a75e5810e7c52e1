import type { Process } from '../../../test/model/world.js';
import { Stage } from '../stage.js';
import type { Frame, Played } from './scene.js';

const LENGTH = 3_500;
/** Ms from the end of the work to the commit. */
const COMMIT = 700;
const OPTIONS = { ttl: 3_000, waitTimeout: 6_000 };

/** A database with one seat. Others see a change when it is committed. */
class Seats {
  left = 1;
  sold = 0;
  constructor(
    private readonly stage: Stage,
    readonly lane: string,
  ) {}

  async sell(server: Process): Promise<boolean> {
    await this.stage.say(server.channel, this.lane, 'how many are left?');
    const seen = this.left;
    await this.stage.say(this.lane, server.channel, `${seen}`, { hears: server });
    await this.stage.world.sleep(server, 200);
    return seen > 0;
  }

  async commit(server: Process): Promise<void> {
    await this.stage.world.sleep(server, COMMIT);
    await this.stage.say(server.channel, this.lane, 'commit');
    this.left -= 1;
    this.sold += 1;
    this.stage.recorder.note(this.lane, `seat sold, ${this.left} left`, this.left < 0 ? 'bad' : 'good');
  }
}

async function play(isLockOutside: boolean): Promise<Played> {
  const stage = new Stage({ showsNodes: false });
  const [one, other] = [stage.server('Server 1'), stage.server('Server 2')];
  const seats = new Seats(stage, stage.lane('database', 'Database', 'store'));
  const call = async (server: Process, at: number): Promise<void> => {
    await stage.wait(at);
    const held = await stage.take(server, 'seat:4', OPTIONS);
    const sells = await seats.sell(server);
    if (!isLockOutside) held.end();
    if (sells) await seats.commit(server);
    else stage.recorder.note(server.channel, 'sold out', 'good');
    if (isLockOutside) held.end();
  };
  void call(one, 200);
  void call(other, 500);
  const trace = await stage.play(LENGTH);
  const isBad = seats.sold > 1;
  return { trace, tone: isBad ? 'bad' : 'good', verdict: isBad ? 'One seat, sold twice' : 'One seat, sold once' };
}

export const transaction: Frame = {
  id: 'transaction',
  title: 'Myth: the place of the transaction does not matter',
  short: 'Transaction',
  lead: 'One seat is left, and two servers sell it. Each does it under a lock, in a transaction.',
  scenes: [
    {
      name: 'The lock inside the transaction',
      tells: 'The lock ends before the commit. Server 2 reads the old number, because it sees committed data only.',
      play: () => play(false),
    },
    {
      name: 'The transaction inside the lock',
      tells: 'The commit comes first, then the end of the lock. Server 2 reads the new number.',
      play: () => play(true),
    },
  ],
};
