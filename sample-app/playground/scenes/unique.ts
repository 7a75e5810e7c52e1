import type { Process } from '../../../test/model/world.js';
import { Stage } from '../stage.js';
import type { Frame, Played } from './scene.js';

const LENGTH = 7_500;
const MAIL = 'ann@example.com';

/** Both servers look whether the e-mail is there, and insert it. */
async function play(hasIndex: boolean): Promise<Played> {
  const stage = new Stage({ showsNodes: false });
  const { recorder, world } = stage;
  const [one, other] = [stage.server('Server 1'), stage.server('Server 2')];
  const table = stage.lane('table', 'Table', 'store');
  let rows = 0;
  const insert = (): boolean => {
    if (hasIndex && rows > 0) {
      recorder.note(table, 'the unique index refuses the second row', 'good');
      return false;
    }
    rows += 1;
    recorder.note(table, `row ${rows}: ${MAIL}`, rows > 1 ? 'bad' : 'good');
    return true;
  };
  const signUp = async (server: Process, at: number): Promise<void> => {
    await stage.wait(at);
    const held = await stage.take(server, MAIL, { ttl: 3_000, waitTimeout: 8_000 });
    await stage.say(server.channel, table, 'is Ann there?');
    const isThere = rows > 0;
    await stage.say(table, server.channel, isThere ? 'yes' : 'no', { hears: server });
    await world.sleep(server, 300);
    if (!isThere) {
      await stage.say(server.channel, table, 'insert Ann');
      const isIn = insert();
      await stage.say(table, server.channel, isIn ? 'done' : 'duplicate', { hears: server });
    }
    held.end();
  };
  void signUp(one, 200);
  void signUp(other, 1_000);
  world.at(900, () => world.pause(one, 5_500));
  const trace = await stage.play(LENGTH);
  return { trace, tone: rows === 1 ? 'good' : 'bad', verdict: rows === 1 ? '1 row for Ann' : `${rows} rows for Ann` };
}

export const unique: Frame = {
  id: 'unique',
  title: 'Myth: a lock replaces the unique index',
  short: 'Unique index',
  lead: 'Two servers sign up the same person under a lock. Server 1 is paused until its lease is over.',
  scenes: [
    {
      name: 'Only a lock',
      tells: 'Server 1 goes on after its pause, and inserts the second row.',
      play: () => play(false),
    },
    {
      name: 'A lock and a unique index',
      tells: 'The index is in the database, where the row is. No pause can go around it.',
      play: () => play(true),
    },
  ],
};
