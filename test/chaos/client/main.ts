import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { pathToFileURL } from 'node:url';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { Idempotency } from '../../../lib/idempotency/idempotency.js';
import { block } from '../../support/block.js';
import { machineTime } from '../record.js';
import { campaign } from './leader.js';
import { callOnce, noteUnkept } from './once.js';
import { runSection } from './section.js';
import { Surroundings } from './surroundings.js';
import type { ClientTerms, Mode, Order, TurnOrder } from './terms.js';
import { work, type Taste } from './worker.js';

const TASTES: readonly Taste[] = [
  ...(['hot', 'hot', 'warm', 'warm', 'cold', 'pair', 'team', 'team'] as const),
  ...(['permit', 'permit', 'once', 'once'] as const),
];

/** Ms: longer than a clock is wrong by, so that a step of a clock ends no record. */
const KEEP = 4 * 3_600_000;

const terms = JSON.parse(process.argv[2]!) as ClientTerms;

/** The service as an application gets it. */
async function open(): Promise<{ readonly surroundings: Surroundings; readonly idempotency: Idempotency }> {
  const { library, nodes, nodeTimeout, maxTtl, restartQuarantine } = terms;
  const { RedlockModule, RedlockService } = (await import(
    pathToFileURL(library).href
  )) as typeof import('../../../lib/index.js');
  const { RedlockIdempotencyModule, Idempotency } = (await import(
    new URL('idempotency/index.js', pathToFileURL(library)).href
  )) as typeof import('../../../lib/idempotency/index.js');
  // The checks ask whether callers are served within their whole time.
  const defaults = { quorumTimeout: Infinity };
  const options = { nodes: [...nodes], keyPrefix: 'chaos:', nodeTimeout, maxTtl, restartQuarantine, defaults };
  const Root = {
    module: class {},
    imports: [RedlockModule.forRoot(options), RedlockIdempotencyModule.forRoot({ keep: KEEP })],
  };
  const app = await NestFactory.createApplicationContext(Root, { logger: false });
  const surroundings = new Surroundings(app.get(RedlockService), terms);
  return { surroundings, idempotency: app.get(Idempotency) };
}

function note(context: Surroundings, event: LockEvent): void {
  noteUnkept(event);
  if (event.type === 'extended') context.extended(event.resources);
  if (!('node' in event)) return;
  const why = 'reason' in event ? event.reason : '';
  context.journal.write({ what: 'node', at: machineTime(), event: event.type, node: event.node, why });
}

async function takeTurn(context: Surroundings, { id, resource, ttl, waitTimeout, hold }: TurnOrder): Promise<void> {
  const plan = { id, resources: [resource], options: { ttl, waitTimeout }, hold, isOrdered: true };
  const held = await runSection(context, plan);
  context.say({ say: held ? 'over' : 'failed', id });
}

/** Workers that come to rest while others of the last shift still rest would be too many. */
class Shifts {
  #last: Promise<unknown> = Promise.resolve();

  async change(context: Surroundings, mode: Mode): Promise<void> {
    const wasResting = context.mode === 'rest';
    context.change(mode);
    if (mode === 'calm') context.say({ say: 'calm' });
    if (mode === 'rest') {
      await this.#last;
      await context.alone();
      context.say({ say: 'resting' });
    } else if (wasResting) {
      await this.#last;
      const workers = TASTES.map((taste) => work(context, taste, () => callOnce(context, idempotency)));
      this.#last = Promise.all([...workers, campaign(context)]);
    }
  }
}

const { surroundings: context, idempotency } = await open();
const shifts = new Shifts();
const trouble = (error: unknown): void =>
  context.journal.write({ what: 'trouble', at: machineTime(), reason: String(error) });
process.on('unhandledRejection', trouble);
context.service.events$.subscribe((event) => note(context, event));
process.on('message', (order: Order) => {
  if (order.do === 'mode') shifts.change(context, order.mode).catch(trouble);
  else if (order.do === 'block') block(order.ms);
  else if (order.do === 'turn') takeTurn(context, order.turn).catch(trouble);
  else context.replied(order.request, order.reply);
});
process.on('disconnect', () => process.exit());
context.say({ say: 'open' });
