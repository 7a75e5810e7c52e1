import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Inject, Injectable } from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { defer, lastValueFrom, Observable, toArray } from 'rxjs';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { LoneApp } from '../../support/nest/lone-app.js';
import { holderOn, untilFree } from '../../support/nest/nodes.js';
import { PLATFORMS } from '../../support/nest/test-app.js';

const KEY = 'report';
const REJECT = { onContended: 'reject' } as const;
const SKIP = { onContended: 'skip' } as const;

@Injectable()
class Reports {
  constructor(@Inject(Door) private readonly door: Door) {}

  @WithLock(KEY, { reentrant: true })
  async wait(): Promise<string> {
    await this.door.pass();
    return 'written';
  }

  @WithLock(KEY, { waitTimeout: 60 })
  async impatient(): Promise<string> {
    return this.wait();
  }

  @WithLock(KEY, REJECT)
  async reject(): Promise<string> {
    return this.wait();
  }

  @WithLock(KEY, SKIP)
  async skip(): Promise<string> {
    return this.wait();
  }

  @WithLock(KEY, SKIP)
  skipStream(): Observable<string> {
    return defer(() => this.wait());
  }
}

@Controller()
class ReportsController extends Reports {
  @Get('wait')
  @WithLock(KEY)
  override wait(): Promise<string> {
    return super.wait();
  }

  @Get('impatient')
  @WithLock(KEY, { waitTimeout: 60 })
  override impatient(): Promise<string> {
    return super.wait();
  }

  @Get('reject')
  @WithLock(KEY, REJECT)
  override reject(): Promise<string> {
    return super.wait();
  }

  @Get('skip')
  @WithLock(KEY, SKIP)
  override skip(): Promise<string> {
    return super.wait();
  }

  @Get('skip-by-function')
  @WithLock(() => KEY, SKIP)
  skipByFunction(): Promise<string> {
    return super.wait();
  }

  @Get('skip-stream')
  @WithLock(KEY, SKIP)
  override skipStream(): Observable<string> {
    return defer(() => super.wait());
  }
}

describe.each(PLATFORMS)('onContended on %s', (platform) => {
  let lone: LoneApp;
  let reports: Reports;

  beforeAll(async () => {
    lone = await LoneApp.start(3, platform, { providers: [Reports], controllers: [ReportsController] });
    reports = lone.app.app.get(Reports);
  });

  beforeEach(() => lone.reset());

  afterAll(endAll);

  /** Another call is inside; what the caller gets, and which claim held the lock before and after. */
  async function meanwhile<T>(call: () => Promise<T>): Promise<T> {
    lone.door.shut();
    const holder = reports.wait();
    await lone.door.untilVisits(1);
    const holding = await holderOn(lone.servers, KEY);
    try {
      return await call();
    } finally {
      expect([typeof holding, await holderOn(lone.servers, KEY)]).toEqual(['string', holding]);
      lone.door.open();
      await expect(holder).resolves.toBe('written');
      await untilFree(lone.servers);
    }
  }

  describe('wait', () => {
    it.each<[string, () => Promise<unknown>]>([
      ['a handler', async () => (await lone.app.get('wait')).body],
      ['a provider', () => reports.wait()],
    ])('lets %s wait for its turn', async (_case, call) => {
      let waiter: Promise<unknown> | undefined;
      await meanwhile(async () => {
        waiter = call();
        await lone.app.log.until('contended', KEY);
        expect(lone.door.visits).toHaveLength(1);
      });
      await expect(waiter).resolves.toBe('written');
      expect(lone.door.most).toBe(1);
    });

    it('gives up after waitTimeout, and leaves the lock to its holder', async () => {
      expect(await meanwhile(() => lone.app.get('impatient'))).toMatchObject({
        status: 409,
        body: { code: 'RESOURCE_LOCKED' },
      });
      await expect(meanwhile(() => reports.impatient())).rejects.toMatchObject({ code: 'RESOURCE_LOCKED' });
    });
  });

  describe('reject', () => {
    it('answers at once', async () => {
      expect(await meanwhile(() => lone.app.get('reject'))).toMatchObject({
        status: 409,
        body: { code: 'RESOURCE_LOCKED' },
      });
      await expect(meanwhile(() => reports.reject())).rejects.toMatchObject({ code: 'RESOURCE_LOCKED' });
      expect([lone.door.visits.length, lone.app.log.count('skipped')]).toEqual([2, 0]);
    });

    it('runs where nobody holds the lock', async () => {
      expect(await lone.app.get('reject')).toMatchObject({ status: 200, body: 'written' });
      await expect(reports.reject()).resolves.toBe('written');
    });
  });

  describe('skip', () => {
    it.each(['skip', 'skip-by-function', 'skip-stream'])(
      'answers without a body, and does not run the handler: %s',
      async (path) => {
        expect(await meanwhile(() => lone.app.get(path))).toMatchObject({ status: 200, body: '' });
        expect(lone.door.visits).toHaveLength(1);
        expect(lone.app.log.events.filter(({ type }) => type === 'skipped')).toEqual([
          { type: 'skipped', resources: [KEY], label: expect.any(String) },
        ]);
      },
    );

    it('does not run a provider', async () => {
      await expect(meanwhile(() => reports.skip())).resolves.toBeUndefined();
      await expect(meanwhile(() => lastValueFrom(reports.skipStream().pipe(toArray())))).resolves.toEqual([]);
      expect([lone.door.visits.length, lone.app.log.count('skipped', KEY)]).toEqual([2, 2]);
    });

    it('runs where nobody holds the lock', async () => {
      expect((await lone.app.get('skip')).body).toBe('written');
      expect((await lone.app.get('skip-stream')).body).toBe('written');
      await expect(reports.skip()).resolves.toBe('written');
      expect(lone.app.log.count('skipped')).toBe(0);
    });
  });
});
