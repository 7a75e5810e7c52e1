import { afterAll, describe, expect, it } from '@jest/globals';
import { RedlockIdempotencyModule } from '../../../lib/idempotency/idempotency.module.js';
import { CLOSED_PORTS, poolOn } from '../../support/nest/nodes.js';
import { closeApps, PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { call, codeOf } from './http-call.js';
import { orders, Tally } from './orders.js';

describe.each(PLATFORMS)('@Idempotent without a quorum with %s', (platform) => {
  afterAll(closeApps);

  it('answers 503 and does not run', async () => {
    const tally = new Tally();
    const pool = poolOn(CLOSED_PORTS, { defaults: { waitTimeout: 0 } });
    const idempotency = RedlockIdempotencyModule.forRoot({ isGlobal: true, principal: '<user.id>', waitTimeout: 0 });
    const { url } = await TestApp.start(platform, orders(tally, [pool, idempotency]));
    const reply = await call(url, 'orders', { key: 'k1' });
    expect([reply.status, codeOf(reply)]).toEqual([503, 'QUORUM_NOT_REACHED']);
    expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(tally.runs).toBe(0);
  });
});
