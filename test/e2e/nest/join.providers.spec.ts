import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Inject, Injectable } from '@nestjs/common';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { Door } from '../../support/nest/door.js';
import { LoneApp } from '../../support/nest/lone-app.js';
import { untilFree } from '../../support/nest/nodes.js';
import { closeApps } from '../../support/nest/test-app.js';
import { stopAll } from '../../support/redis-server.js';

const JOIN = { onContended: 'join' } as const;
const KEY = 'report:1';

@Injectable()
class Reports {
  constructor(@Inject(Door) private readonly door: Door) {}

  @WithLock('report:<0>', { ...JOIN, reentrant: true })
  async write(id: string, @CurrentLock() lock?: Lock): Promise<object> {
    await this.door.pass('write');
    return { id, token: lock?.fencingToken };
  }

  @WithLock('report:<0>')
  async rewrite(id: string): Promise<object> {
    await this.door.pass('rewrite');
    return this.write(id);
  }
}

describe('calls of a service that join', () => {
  let lone: LoneApp;
  let reports: Reports;

  beforeAll(async () => {
    lone = await LoneApp.start(3, 'Express', { providers: [Reports] });
    reports = lone.app.app.get(Reports);
  });

  beforeEach(() => {
    lone.reset();
    lone.door.shut();
  });

  afterAll(async () => {
    lone.door.open();
    await closeApps();
    await untilFree(lone.servers);
    await stopAll();
  });

  it('get the very object and lock of the first one', async () => {
    const calls = [reports.write('1'), reports.write('1'), reports.write('2')];
    await lone.door.untilVisits(2);
    lone.door.open();
    const [first, second, other] = await Promise.all(calls);
    expect(second).toBe(first);
    expect(other).toEqual({ id: '2', token: expect.any(Number) });
    expect(lone.door.visits).toHaveLength(2);
  });

  it('run inside a lock that their caller holds where they are reentrant, though others wait for it', async () => {
    const outer = reports.rewrite('1');
    await lone.door.untilVisits(1);
    const waiting = reports.write('1');
    await lone.app.log.until('contended', KEY);
    lone.door.open();
    const [rewritten, written] = await Promise.all([outer, waiting]);
    expect(rewritten).not.toBe(written);
    expect(lone.door.visits).toEqual(['rewrite', 'write', 'write']);
  });
});
