import type { Lock } from '../../../lib/engine/lock.js';
import { Model } from '../../../test/model/model.js';
import type { Process } from '../../../test/model/world.js';
import { watchGrants, type Choices } from '../grants.js';
import { Recorder } from '../recorder.js';
import type { Played } from './scene.js';

/** Writes down a world of CI while it runs. */
class SeedWorld {
  readonly model: Model;
  readonly recorder: Recorder;

  constructor(seed: number, isWithoutQuarantine: boolean, fixed: Choices) {
    this.model = new Model(seed, fixed);
    const { world, judge } = this.model;
    const recorder = (this.recorder = new Recorder(world, {
      without: new Map(isWithoutQuarantine ? [['quarantine', 0]] : []),
    }));
    for (const { index } of world.nodes)
      recorder.lanes.push({ id: `n${index}`, label: `Node ${index + 1}`, kind: 'node' });
    const start = world.start.bind(world);
    world.start = () => {
      const process = start();
      recorder.watchProcess(process, `Server p${process.id}`);
      this.#watchLocks(process);
      return process;
    };
    watchGrants(this.model, ({ process, resource }) => {
      const known = judge.violations.length;
      const lane = world.processes[process]?.channel ?? 'n0';
      recorder.note(lane, `gets the lock ${resource}`, 'good');
      world.after(0, () => this.#tell(lane, known));
    });
  }

  /** The judge has looked by now. */
  #tell(lane: string, known: number): void {
    const { world, judge } = this.model;
    for (const text of judge.violations.slice(known)) {
      this.recorder.note(lane, text, 'bad');
      this.recorder.alarms.push({ from: world.time, to: world.time + 20 * world.terms.delay, text });
    }
  }

  #watchLocks({ redlock, channel }: Process): void {
    const acquire = redlock.acquire.bind(redlock);
    const acquireOnce = redlock.acquireOnce.bind(redlock);
    redlock.acquire = (...args) => {
      const asked = acquire(...args);
      this.#follow(channel, asked);
      return asked;
    };
    redlock.acquireOnce = (...args) => {
      const asked = acquireOnce(...args);
      this.#follow(
        channel,
        asked.then((taken) => taken?.lock),
      );
      return asked;
    };
  }

  #follow(lane: string, asked: Promise<Lock | undefined>): void {
    const { recorder } = this;
    const { world } = this.model;
    const waits = recorder.span(lane, 'waits');
    const over = (lock?: Lock): void => {
      waits.to = world.time;
      if (lock === undefined) return;
      const span = recorder.span(lane, 'holds', lock.resources.join(' and '));
      recorder.lease(lane, lock.validity);
      recorder.locks.set(span, lock);
      const release = lock.release.bind(lock);
      lock.release = () => {
        span.to = world.time;
        const lease = recorder.leases.findLast((one) => one.lane === lane);
        if (lease) lease.to = Math.min(lease.to, world.time);
        return release();
      };
    };
    asked.then(over, () => over());
  }
}

/** Runs a world as `npm run simulate -- SEED 1` does, and shows it. */
export async function playSeed(seed: number, isWithoutQuarantine = false, fixed: Choices = {}): Promise<Played> {
  const { model, recorder } = new SeedWorld(seed, isWithoutQuarantine, fixed);
  const { grants, told, violations } = await model.run();
  const trace = recorder.traceAt(model.world.time);
  const [first] = violations;
  if (first !== undefined) return { trace, tone: 'bad', verdict: first };
  return { trace, tone: 'good', verdict: `${grants} grants, ${told} answers told, no rule broken` };
}
