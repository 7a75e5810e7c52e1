import { Stage } from '../stage.js';
import type { Process } from '../../../test/model/world.js';
import type { Frame, Played } from './scene.js';

const LENGTH = 5_500;
const TTL = 3_000;
/** The number of the message with which Server 1 asks Node 3: it is lost, so that the vote of Node 2 is needed. */
const TO_NODE_3 = 2;

async function play(hasQuarantine: boolean): Promise<Played> {
  const without = new Map(hasQuarantine ? [] : [['quarantine', 0] as const]);
  const stage = new Stage({ watched: { without, dropped: new Set([TO_NODE_3]) } });
  const { world } = stage;
  const [one, other] = [stage.server('Server 1'), stage.server('Server 2')];
  const [, second] = world.nodes;
  const call = async (server: Process, at: number, ms: number): Promise<void> => {
    await stage.wait(at);
    const held = await stage.take(server, 'job', { ttl: TTL, waitTimeout: 8_000, retryDelay: 500, retryJitter: 0 });
    await world.sleep(server, ms);
    held.end();
  };
  void call(one, 200, 2_600);
  world.at(1_100, () => world.down(second!, 300, true));
  void call(other, 1_600, 800);
  const trace = await stage.play(LENGTH);
  const isBroken = trace.alarms.length > 0;
  const verdict = isBroken ? 'Two hold the lock at one time' : 'One holder at any time';
  return { trace, tone: isBroken ? 'bad' : 'good', verdict };
}

export const forget: Frame = {
  id: 'forget',
  title: 'A node that forgets',
  short: 'Node that forgets',
  lead: 'Server 1 has the votes of Node 1 and Node 2; its message to Node 3 is lost. Then Node 2 stops, and comes back with an empty memory.',
  scenes: [
    {
      name: 'It votes at once',
      tells: 'Node 2 votes again, now for Server 2. With Node 3 that is a majority, and both servers have the lock.',
      play: () => play(false),
    },
    {
      name: 'Quarantine',
      tells: 'Node 2 knows that it may have forgotten a lock. It does not vote until every such lock is over.',
      play: () => play(true),
    },
  ],
};
