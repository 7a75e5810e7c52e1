import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { RedlockService, type LockEvent } from 'nestjs-redlock';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { LocalQueues } from '../../lib/engine/local-queues.js';
import { DEFAULT_LOCK_OPTIONS, MAX_TTL } from '../../lib/engine/options.js';
import { MANY_MAY_HAVE_FORGOTTEN } from '../../lib/engine/status.js';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { codeBlocks } from '../support/readme.js';
import { startRedisServers, stopAll } from '../support/redis-server.js';

interface Shipping {
  ship(order: string): Promise<number>;
}

const page = (name: string): string => readFileSync(`docs/concepts/${name}.md`, 'utf8');
const [LIFE, NODES] = [page('life-of-a-lock'), page('restarted-nodes')];
/** The service of one page, and the module of the other. */
const BLOCKS = [...codeBlocks(LIFE), ...codeBlocks(NODES)];
/** How many callers of one process may wait for a resource, as the pages write numbers. */
const MOST_WAITERS = new LocalQueues(undefined as never, '').maxWaiters.toLocaleString('en');
/** Ms: nodes are to start beside other tests. */
const PATIENCE = 120_000;

/** The default of each option in the table of docs/concepts/life-of-a-lock.md. */
function defaultsInPage(): ReadonlyMap<string, number> {
  const rows = [...LIFE.matchAll(/^\| `(\w+)` +\| +([\d,]+) \|/gm)];
  return new Map(rows.map(([, name, value]) => [name!, Number(value!.replaceAll(',', ''))]));
}

describe('the pages of docs/concepts', () => {
  it('name the defaults', () => {
    const { ttl, waitTimeout, quorumTimeout, maxHold } = DEFAULT_LOCK_OPTIONS;
    expect(Object.fromEntries(defaultsInPage())).toEqual({ ttl, waitTimeout, quorumTimeout, maxHold });
    expect(NODES).toContain(`\`maxTtl\` is ${MAX_TTL / 1_000} s by default`);
    expect(page('contention')).toContain(`**\`maxWaiters\`** (${MOST_WAITERS})`);
  });

  it('show the log of a first start', () => {
    const text = NODES.replaceAll(/\s+/g, ' ');
    expect(text).toContain(`5 of 5 nodes are ${MANY_MAY_HAVE_FORGOTTEN}.`);
    expect(text).toContain(`WARN No locks for ${MAX_TTL / 1_000} s, until `);
  });

  it(
    'have the code that is run here',
    () => {
      expect(BLOCKS.map(({ file }) => file)).toEqual(['shipping.service.ts', 'locks.module.ts']);
    },
    PATIENCE,
  );

  describe('pasted together', () => {
    let labels: Server;
    let app: INestApplicationContext | undefined;
    let shipping: Shipping;
    const events: LockEvent[] = [];

    beforeAll(async () => {
      labels = createServer((_request, response) => response.writeHead(201).end());
      await new Promise<void>((resolve) => labels.listen(0, '127.0.0.1', resolve));
      const nodes = await startRedisServers(3);
      process.env['REDLOCK_NODES'] = nodes.map(({ url }) => url).join(',');
      process.env['LABELS_URL'] = `http://127.0.0.1:${(labels.address() as AddressInfo).port}`;
      const pasted = await PastedCode.write(BLOCKS);
      const { ShippingService } = await pasted.run<{ ShippingService: Type<Shipping> }>('shipping.service.ts');
      const { LocksModule } = await pasted.run<{ LocksModule: Type }>('locks.module.ts');
      const module = { module: LocksModule, providers: [ShippingService] };
      app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
      app.get(RedlockService).events$.subscribe((event) => events.push(event));
      shipping = app.get(ShippingService);
    }, PATIENCE);

    afterEach(() => void events.splice(0));

    afterAll(async () => {
      await app?.close();
      labels.close();
      labels.closeAllConnections();
      delete process.env['REDLOCK_NODES'];
      delete process.env['LABELS_URL'];
      await stopAll();
      await removePasted();
    });

    it('locks one order at a time, and releases each of them', async () => {
      expect(await Promise.all([shipping.ship('7'), shipping.ship('7')])).toEqual([201, 201]);
      const told = events.filter(({ type }) => type === 'acquired' || type === 'released');
      expect(told.map((event) => [event.type, 'resources' in event && event.resources[0]])).toEqual([
        ['acquired', 'order:7'],
        ['released', 'order:7'],
        ['acquired', 'order:7'],
        ['released', 'order:7'],
      ]);
    });
  });
});
