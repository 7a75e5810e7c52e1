import type { Redis } from 'ioredis';
import { SystemClock } from '../../../lib/core/time/system-clock.js';
import { counterOf } from '../../../lib/core/port/fencing.js';
import { BatchEncoder } from '../../../lib/redis/batch/batch-encoder.js';
import { toAddresses } from '../../../lib/redis/connection/settings/node-address.js';
import { realParts } from '../../../lib/redis/connection/node-parts.js';
import { RedisNode } from '../../../lib/redis/redis-node.js';
import { eventually } from '../../support/eventually.js';
import { plantKey } from '../../support/foreign-keys.js';
import { connectRedis } from '../../support/redis-client.js';
import type { RedisServer } from '../../support/redis-server.js';
import { Asker } from './asker.js';
import { PREFIX, readState } from './redis-state.js';
import { RepliesFirst } from '../../support/replies-first.js';
import {
  PROCESSES,
  type AskStep,
  type CountStep,
  type Mark,
  type PlantStep,
  type Sequence,
  type Step,
} from './sequence.js';
import type { Echo, ResourceState, Side, Terms } from './side.js';

interface Process {
  readonly node: RedisNode;
  readonly channel: string;
}

/** A real node, asked over the connections of several processes. */
export class RedisSide implements Side {
  /** By index; a process that is gone is not there. */
  readonly #processes = new Map<number, Process>();
  #asker!: Asker;

  private constructor(
    private readonly server: RedisServer,
    private readonly repliesFirst: RepliesFirst,
    private readonly foreign: Redis,
    private readonly terms: Terms,
  ) {}

  static async connect(server: RedisServer, terms: Terms): Promise<RedisSide> {
    const foreign = await connectRedis(server.url);
    // As monitoring tools do: this makes no process look alive.
    await foreign.psubscribe('*');
    return new RedisSide(server, await RepliesFirst.before(server.port), foreign, terms);
  }

  async begin({ plans, restartQuarantine, repliesFirst }: Sequence): Promise<void> {
    // A process remembers which holder it waits for.
    await this.#closeAll();
    const { url } = repliesFirst ? this.repliesFirst : this.server;
    const connects = Array.from({ length: PROCESSES }, () => this.#connect(url, restartQuarantine));
    const processes = await Promise.all(connects);
    processes.forEach((process, index) => this.#processes.set(index, process));
    await this.foreign.flushall();
    await this.#mark('trusted');
    this.#asker = new Asker(plans, this.terms.epoch);
  }

  async take(step: Step): Promise<Echo> {
    if (step.kind === 'ask') this.#ask(step);
    else if (step.kind === 'plant') await this.#plant(step);
    else if (step.kind === 'vanish') await this.foreign.del(PREFIX + step.resource);
    else if (step.kind === 'die') await this.#end(step.process);
    else if (step.kind === 'count') await this.#count(step);
    else await this.#mark(step.as);
    const answers = await this.#asker.answers();
    await this.#settle();
    return { answers, told: this.#asker.takeTold() };
  }

  stateOf(resources: readonly string[]): Promise<ResourceState[]> {
    return readState(this.foreign, resources);
  }

  async close(): Promise<void> {
    await this.#closeAll();
    await this.repliesFirst.close();
    this.foreign.disconnect();
  }

  async #closeAll(): Promise<void> {
    await Promise.all([...this.#processes.values()].map(({ node }) => node.close()));
    this.#processes.clear();
  }

  /** All in one turn, so that nothing is read between two batches. */
  #ask({ process, batches }: AskStep): void {
    const { node } = this.#processes.get(process)!;
    for (const batch of batches) {
      for (const operation of batch) this.#asker.ask(node, operation);
      // Sends what was asked so far.
      node.probe(() => undefined);
    }
  }

  async #count({ resource, fence }: CountStep): Promise<void> {
    await this.foreign.hset(`${PREFIX}~fence`, counterOf(resource), this.terms.epoch + fence);
  }

  async #mark(as: Mark): Promise<void> {
    const [, run] = /run_id:(\w+)/.exec(await this.foreign.info('server'))!;
    const since = as === 'new' ? Date.now() * 1_000 : 0;
    if (as === 'emptied') await this.foreign.del(`${PREFIX}~node`);
    else
      await this.foreign.set(`${PREFIX}~node`, `${as === 'of another run' ? 'a0' : run}|${since}|${this.terms.maxTtl}`);
  }

  async #plant({ resource, value, ttl }: PlantStep): Promise<void> {
    await plantKey(this.foreign, PREFIX + resource, value, ttl);
  }

  async #connect(url: string, restartQuarantine: boolean): Promise<Process> {
    const clock = new SystemClock();
    const encoder = new BatchEncoder(PREFIX, { maxTtl: this.terms.maxTtl, restartQuarantine }, clock);
    const node = new RedisNode(toAddresses([url])[0]!, encoder, realParts(clock));
    await node.open(() => undefined);
    return { node, channel: encoder.channel };
  }

  /** Resolves when the node knows that no process listens there any more. */
  async #end(process: number): Promise<void> {
    const { node, channel } = this.#processes.get(process)!;
    this.#processes.delete(process);
    await node.close();
    await eventually(async () => {
      const [, listeners] = (await this.foreign.pubsub('NUMSUB', channel)) as [string, number];
      if (listeners > 0) throw new Error('the node has not noticed yet that a process is gone');
    });
  }

  /** Resolves when every process has read what it is told, and what it asked then has reached the node, and was told in turn. */
  async #settle(): Promise<void> {
    for (let times = 0; times < 2; times += 1) {
      await Promise.all([...this.#processes.values()].map(({ node }) => probed(node)));
    }
  }
}

function probed(node: RedisNode): Promise<unknown> {
  return new Promise((resolve) => node.probe(resolve));
}
