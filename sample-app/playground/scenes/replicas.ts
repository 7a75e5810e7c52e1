import type { Process } from '../../../test/model/world.js';
import { Stage } from '../stage.js';
import type { Frame, Played } from './scene.js';

const LENGTH = 5_500;

async function call(stage: Stage, server: Process, at: number): Promise<void> {
  await stage.wait(at);
  const held = await stage.take(server, 'job', { ttl: 3_000, waitTimeout: 6_000, retryDelay: 200, retryJitter: 0 });
  await stage.world.sleep(server, 2_200);
  held.end();
}

/** One primary; a replica without the lock takes its place. */
async function failOver(): Promise<Played> {
  // A replica that takes over knows nothing of a quarantine: for the lock, it is a node that forgets.
  const stage = new Stage({ nodes: 1, showsNodes: false, watched: { without: new Map([['quarantine', 0]]) } });
  const { world, recorder } = stage;
  stage.lane('n0', 'Redis', 'node');
  const replica = stage.lane('replica', 'Replica', 'node');
  const [one, other] = [stage.server('Server 1'), stage.server('Server 2')];
  void call(stage, one, 200);
  void call(stage, other, 1_600);
  void stage.wait(500).then(() => stage.say('n0', replica, 'copy of the lock', { ms: 700, isLost: true }));
  world.at(900, () => world.down(world.nodes[0]!, 400, true));
  world.at(1_300, () => recorder.note(replica, 'takes the place of Redis, without the lock', 'wait'));
  return verdictOf(stage);
}

async function independent(): Promise<Played> {
  const stage = new Stage();
  const { world } = stage;
  const [one, other] = [stage.server('Server 1'), stage.server('Server 2')];
  void call(stage, one, 200);
  void call(stage, other, 1_600);
  world.at(900, () => world.down(world.nodes[0]!, 400, true));
  return verdictOf(stage);
}

async function verdictOf(stage: Stage): Promise<Played> {
  const trace = await stage.play(LENGTH);
  const isBroken = trace.alarms.length > 0;
  return { trace, tone: isBroken ? 'bad' : 'good', verdict: isBroken ? 'Two hold the lock' : 'One holder at any time' };
}

export const replicas: Frame = {
  id: 'replicas',
  title: 'Myth: replicas of one Redis are nodes',
  short: 'Replicas',
  lead: 'A Redis server copies its data to a replica a little later. The server stops before it has copied the lock.',
  scenes: [
    {
      name: 'One Redis with a replica',
      tells: 'The replica takes over, and has never heard of the lock. It gives the lock again.',
      play: failOver,
    },
    {
      name: 'Three Redis servers on their own',
      tells: 'One of three stops. The other two still know the lock, and they are the majority.',
      play: independent,
    },
  ],
};
