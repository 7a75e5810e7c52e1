import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Inject, Injectable, Param } from '@nestjs/common';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { eventually } from '../../support/eventually.js';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { keysOn, untilFree } from '../../support/nest/nodes.js';
import { Replicas } from '../../support/nest/replicas.js';

const LIMIT = { limit: 3 } as const;
const SLOTS = [0, 1, 2];

@Injectable()
class Exports {
  constructor(@Inject(Door) private readonly door: Door) {}

  @WithLock('export:<0>', LIMIT)
  async wait(_region: string, @CurrentLock() lock?: Lock): Promise<unknown> {
    await this.door.pass();
    return lock?.slot;
  }

  @WithLock('export:<0>', { ...LIMIT, onContended: 'skip' })
  async skip(_region: string, @CurrentLock() lock?: Lock): Promise<unknown> {
    await this.door.pass();
    return lock?.slot;
  }

  @WithLock('export:<0>', { ...LIMIT, onContended: 'reject' })
  async reject(_region: string, @CurrentLock() lock?: Lock): Promise<unknown> {
    await this.door.pass();
    return lock?.slot;
  }

  @WithLock('export:<0>', { ...LIMIT, take: 'all' })
  async alone(_region: string, @CurrentLock() lock?: Lock): Promise<unknown> {
    await this.door.pass('alone');
    return lock?.slot;
  }
}

@Controller(':region')
class ExportsController {
  constructor(@Inject(Door) private readonly door: Door) {}

  @Get('wait')
  @WithLock('export:<params.region>', LIMIT)
  async wait(@Param('region') _region: string, @CurrentLock() lock: Lock): Promise<unknown> {
    await this.door.pass();
    return { slot: lock.slot, resources: lock.resources };
  }

  @Get('skip')
  @WithLock('export:<params.region>', { ...LIMIT, onContended: 'skip' })
  async skip(@CurrentLock() lock: Lock): Promise<unknown> {
    await this.door.pass();
    return { slot: lock.slot };
  }

  @Get('reject')
  @WithLock('export:<params.region>', { ...LIMIT, ttl: 20_000, onContended: 'reject' })
  async reject(@CurrentLock() lock: Lock): Promise<unknown> {
    await this.door.pass();
    return { slot: lock.slot };
  }
}

describe('@WithLock with a limit, on two replicas', () => {
  let replicas: Replicas;
  let [one, two]: Exports[] = [];

  beforeAll(async () => {
    replicas = await Replicas.start('Express', () => ({ providers: [Exports], controllers: [ExportsController] }));
    [one, two] = [replicas.one, replicas.two].map(({ app }) => app.get(Exports));
  });

  beforeEach(() => replicas.reset());

  afterAll(endAll);

  /** Three calls are inside, by a provider of each replica and by a handler; resolves to their slots in the end. */
  async function meanwhile(act: () => Promise<unknown>): Promise<unknown[]> {
    const { door } = replicas;
    door.shut();
    const handled = replicas.two.get('eu/wait').then(({ body }) => (body as { slot: number }).slot);
    const holders = Promise.all([one!.wait('eu'), two!.wait('eu'), handled]);
    await door.untilVisits(3);
    for (const { log } of [replicas.one, replicas.two]) log.clear();
    try {
      await act();
    } finally {
      door.open();
    }
    const slots = await holders;
    await untilFree(replicas.servers);
    return slots;
  }

  const codes = (calls: readonly Promise<unknown>[]): Promise<unknown[]> =>
    Promise.all(calls.map((call) => call.catch(({ code }: { code: string }) => code)));

  it('gives each of three a slot of its own, under the plain name, and lets the fourth wait', async () => {
    const waiting: Promise<unknown>[] = [];
    const slots = await meanwhile(async () => {
      waiting.push(one!.wait('eu'), replicas.two.get('eu/wait'));
      await Promise.all([replicas.one, replicas.two].map(({ log }) => log.until('contended', 'export:eu')));
      expect([replicas.door.inside, replicas.door.visits.length]).toEqual([3, 3]);
    });
    expect(new Set(slots)).toEqual(new Set(SLOTS));
    expect(SLOTS).toContain(await waiting[0]);
    expect(await waiting[1]).toMatchObject({ status: 200, body: { resources: ['export:eu'] } });
    expect([replicas.door.most, replicas.door.visits.length]).toEqual([3, 5]);
    expect(new Set([...replicas.one.log.acquired, ...replicas.two.log.acquired])).toEqual(new Set(['export:eu']));
  });

  it('is a limit for each key by itself', async () => {
    await meanwhile(async () => {
      const others = [one!.wait('us'), two!.reject('us'), replicas.one.get('us/reject')];
      await replicas.door.untilVisits(6);
      replicas.door.open();
      await Promise.all(others);
    });
    expect(replicas.door.most).toBe(6);
  });

  it('skips a call when full, and runs it when not', async () => {
    await meanwhile(async () => {
      expect(await Promise.all([one!.skip('eu'), two!.skip('eu')])).toEqual([undefined, undefined]);
      expect(await replicas.one.get('eu/skip')).toMatchObject({ status: 200, body: '' });
    });
    expect(replicas.door.visits).toHaveLength(3);
    expect([replicas.one.log, replicas.two.log].map((log) => log.count('skipped', 'export:eu'))).toEqual([2, 1]);
    expect(SLOTS).toContain(await one!.skip('eu'));
    expect(SLOTS).toContain(((await replicas.one.get('eu/skip')).body as { slot: number }).slot);
  });

  it('rejects a call when full, and answers 409 with the time until a slot may be free', async () => {
    await meanwhile(async () => {
      expect(await codes([one!.reject('eu'), two!.reject('eu')])).toEqual(['RESOURCE_LOCKED', 'RESOURCE_LOCKED']);
      const { status, body, headers } = await replicas.one.get('eu/reject');
      expect([status, body]).toEqual([409, expect.objectContaining({ code: 'RESOURCE_LOCKED' })]);
      // The holders have leases of 5 s.
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(5);
    });
    expect(replicas.door.visits).toHaveLength(3);
    expect(await replicas.one.get('eu/reject')).toMatchObject({ status: 200 });
  });

  it('tells the time of the slot that is free first', async () => {
    const acquire = (ttl: number): Promise<Lock> => replicas.one.redlock.acquire('export:us', { ...LIMIT, ttl });
    const held = await Promise.all([600_000, 30_000, 600_000].map(acquire));
    // A call asks for a random slot first, so one answer may be luck.
    const apps = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? replicas.one : replicas.two));
    const answers = await Promise.all(apps.map((app) => app.get('us/reject')));
    await Promise.all(held.map((lock) => lock.release()));
    const seconds = answers.map(({ headers }) => Number(headers['retry-after']));
    expect(seconds.filter((count) => count < 10 || count > 30)).toEqual([]);
  });

  it('runs a call that takes all by itself, and later calls after it', async () => {
    const runs: Promise<unknown>[] = [];
    await meanwhile(async () => {
      runs.push(one!.alone('eu'));
      await replicas.one.log.until('contended', 'export:eu');
      runs.push(two!.wait('eu'));
      await replicas.two.log.until('contended', 'export:eu');
    });
    expect(await Promise.all(runs)).toEqual([undefined, expect.any(Number)]);
    expect(replicas.door.visits.slice(3)).toEqual(['alone', 'somebody']);
  });

  it('has the slots on the nodes, and no key of the plain name', async () => {
    await meanwhile(async () => {
      const names = SLOTS.map((slot) => `lock:export:eu~${slot}`);
      await eventually(async () => expect(new Set(await keysOn(replicas.servers))).toEqual(new Set(names)));
    });
  });
});
