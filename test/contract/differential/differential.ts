import { inspect } from 'node:util';
import { asClientsAsk } from './as-clients-ask.js';
import type { Census } from './census.js';
import { isSameEcho, isSameState } from './comparison.js';
import { resourcesIn, type Sequence, type Step } from './sequence.js';
import type { Echo, ResourceState, Side } from './side.js';

/** Has two nodes take the same steps, and tells where they first differ. */
export class Differential {
  constructor(
    private readonly memory: Side,
    private readonly redis: Side,
    private readonly census?: Census,
  ) {}

  /** What differs, as a text; undefined where nothing does. */
  async differenceIn(sequence: Sequence): Promise<string | undefined> {
    const resources = resourcesIn(sequence);
    await this.memory.begin(sequence);
    await this.redis.begin(sequence);
    let state: readonly ResourceState[] = [];
    for (const planned of sequence.steps) {
      const step = asClientsAsk(planned, sequence, state);
      const memory = await take(this.memory, step, resources);
      const redis = await take(this.redis, step, resources);
      if (!isSameEcho(step, sequence, { memory, redis }) || !isSameState(memory.state, redis.state)) {
        return inspect({ step, memory, redis }, { depth: 6, breakLength: 140 });
      }
      this.census?.note(step, memory);
      state = memory.state;
    }
    return undefined;
  }
}

async function take(side: Side, step: Step, resources: readonly string[]): Promise<Echo & { state: ResourceState[] }> {
  return { ...(await side.take(step)), state: await side.stateOf(resources) };
}
