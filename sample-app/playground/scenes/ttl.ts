import type { Process } from '../../../test/model/world.js';
import { Stage } from '../stage.js';
import type { Frame, Played } from './scene.js';

const LENGTH = 12_000;
/** Ms of the work. */
const WORK = 3_600;
const CRASH_AT = 2_200;

/** Server 1 crashes during its work, and Server 2 waits behind it. */
async function play(ttl: number, autoExtend: boolean): Promise<Played> {
  const stage = new Stage({ showsNodes: false, maxTtl: 10_000 });
  const { world, recorder } = stage;
  const [one, other] = [stage.server('Server 1'), stage.server('Server 2')];
  let waited = Infinity;
  const call = async (server: Process, at: number): Promise<void> => {
    await stage.wait(at);
    const held = await stage.take(server, 'report', { ttl, autoExtend, waitTimeout: 20_000 });
    if (server === other) waited = world.time - CRASH_AT;
    await world.sleep(server, WORK);
    held.end();
  };
  void call(one, 200);
  void call(other, 1_200);
  world.at(CRASH_AT, () => {
    world.kill(one, 50);
    for (const span of recorder.spans)
      if (span.lane === one.channel && span.kind !== 'down') span.to = Math.min(span.to, world.time);
  });
  const trace = await stage.play(LENGTH);
  const isLong = waited > 3_000;
  return {
    trace,
    tone: isLong ? 'bad' : 'good',
    verdict: `Everybody waits ${(waited / 1_000).toFixed(1)} s after the crash`,
  };
}

export const ttl: Frame = {
  id: 'ttl',
  title: 'Myth: a longer ttl is safer',
  short: 'Longer ttl',
  lead: 'The work takes 3.6 s. Server 1 crashes in the middle of it. Nobody can take its lock before its lease is over.',
  scenes: [
    {
      name: 'ttl of 9 s',
      tells: 'A long lease lasts long after a crash. It does not stop the late write of a frozen holder either.',
      play: () => play(9_000, false),
    },
    {
      name: 'ttl of 2 s, extended',
      tells: 'A short lease that is extended during the work ends soon after a crash.',
      play: () => play(2_000, true),
    },
  ],
};
