import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Inject, Injectable, Post, Scope } from '@nestjs/common';
import { ContextIdFactory, REQUEST } from '@nestjs/core';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { poolOn } from '../../support/nest/nodes.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

interface Tenanted {
  readonly headers: { readonly 'x-tenant'?: string };
}

@Injectable({ scope: Scope.REQUEST })
class Invoices {
  constructor(
    @Inject(Door) private readonly door: Door,
    @Inject(REQUEST) private readonly request: Tenanted,
  ) {}

  @WithLock('invoice:<0>')
  async write(id: string): Promise<string> {
    await this.door.pass(id);
    return `${id} of ${this.request.headers['x-tenant']}`;
  }
}

@Injectable({ scope: Scope.TRANSIENT })
class Printer {
  constructor(@Inject(Door) private readonly door: Door) {}

  @WithLock('printer')
  async print(id: string): Promise<void> {
    await this.door.pass(id);
  }
}

@Controller({ scope: Scope.REQUEST })
class RequestScoped {
  constructor(
    @Inject(Door) private readonly door: Door,
    @Inject(REQUEST) private readonly request: Tenanted,
  ) {}

  @Post('scoped')
  @WithLock('order:<body.id>')
  async scoped(@Body('id') id: string, @CurrentLock() lock: Lock): Promise<string> {
    await this.door.pass(id);
    return `${lock.resources[0]} of ${this.request.headers['x-tenant']}`;
  }

  @WithLock('order:<0>')
  @Post('scoped-by-argument')
  async scopedByArgument(@Body('id') id: string): Promise<string> {
    await this.door.pass(id);
    return `order:${id} of ${this.request.headers['x-tenant']}`;
  }
}

/** Nest 12 gives such a controller none of its dependencies. */
@Controller({ scope: Scope.TRANSIENT })
class TransientHandlers {
  @Post('transient-controller')
  @WithLock('order:<body.id>')
  async byRequest(@CurrentLock() lock: Lock): Promise<readonly string[]> {
    return lock.resources;
  }

  @Post('transient-controller-by-argument')
  @WithLock('order:<0>')
  async byArgument(@Body('id') id: string): Promise<string> {
    return `ran without a lock for ${id}`;
  }
}

/** Durable: one for each tenant, as a strategy of the application would say. */
@Injectable({ scope: Scope.REQUEST, durable: true })
class Ledger {
  constructor(@Inject(Door) private readonly door: Door) {}

  @WithLock('ledger:<0>')
  async write(id: string): Promise<void> {
    await this.door.pass(id);
  }
}

@Controller()
class Bubbling {
  constructor(
    @Inject(Invoices) private readonly invoices: Invoices,
    @Inject(Printer) private readonly printer: Printer,
    @Inject(Ledger) private readonly ledger: Ledger,
  ) {}

  @Post('durable')
  durable(@Body('id') id: string): Promise<void> {
    return this.ledger.write(id);
  }

  @Post('provider')
  provider(@Body('id') id: string): Promise<string> {
    return this.invoices.write(id);
  }

  @Post('transient')
  transient(@Body('id') id: string): Promise<void> {
    return this.printer.print(id);
  }
}

describe.each(PLATFORMS)('locks in other scopes on %s', (platform) => {
  const door = new Door();
  let servers: RedisServer[];
  let [one, two]: TestApp[] = [];

  beforeAll(async () => {
    servers = await startRedisServers(3);
    const providers = [Invoices, Printer, Ledger, { provide: Door, useValue: door }];
    [one, two] = await TestApp.pair(platform, () => ({
      imports: [poolOn(servers)],
      controllers: [RequestScoped, TransientHandlers, Bubbling],
      providers,
    }));
  });

  beforeEach(() => door.reset());

  afterAll(endAll);

  it.each([
    ['scoped', 'order:7', 'order:7 of acme'],
    ['scoped-by-argument', 'order:7', 'order:7 of acme'],
    ['provider', 'invoice:7', '7 of acme'],
    ['transient', 'printer', ''],
    ['durable', 'ledger:7', ''],
  ])('run one after the other, each with its own request: %s', async (path, resource, answer) => {
    const headers = { 'x-tenant': 'acme' };
    two!.log.clear();
    door.shut();
    const first = one!.post(path, { id: '7' }, { headers });
    await door.untilVisits(1);
    const second = two!.post(path, { id: '7' }, { headers });
    await two!.log.until('contended', resource);
    expect(door.inside).toBe(1);
    door.open();
    const replies = await Promise.all([first, second]);
    expect(replies.map(({ status, body }) => [status, body])).toEqual([
      [201, answer],
      [201, answer],
    ]);
    expect([door.most, door.visits.length]).toEqual([1, 2]);
  });

  it('never run unlocked where Nest injects nothing', async () => {
    expect((await one!.post('transient-controller', { id: '9' })).body).toEqual(['order:9']);
    const { status } = await one!.post('transient-controller-by-argument', { id: '9' });
    expect([status, one!.log.count('acquired', 'order:9')]).toEqual([500, 1]);
  });

  it('are taken by a request-scoped provider that is resolved by hand', async () => {
    const id = ContextIdFactory.create();
    one!.app.registerRequestByContextId({ headers: { 'x-tenant': 'acme' } }, id);
    const invoices = await one!.app.resolve(Invoices, id);
    await expect(invoices.write('8')).resolves.toBe('8 of acme');
    expect(one!.log.count('acquired', 'invoice:8')).toBe(1);
  });
});
