import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RedisOptions } from 'ioredis';
import { CredentialsClient } from '../../../../lib/redis/connection/credentials-client.js';
import type { NodeCredentials } from '../../../../lib/redis/connection/settings/credentials.js';
import { eventually } from '../../../support/eventually.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

describe('CredentialsClient that is disconnected while credentials() takes its time', () => {
  let clock: VirtualClock;
  let failures: string[];
  let client: CredentialsClient;
  let connecting: Promise<void>;
  beforeEach(() => {
    clock = new VirtualClock();
    failures = [];
    const asked = new Promise<NodeCredentials>(() => undefined);
    const options = { host: '127.0.0.1', port: 1, lazyConnect: true };
    client = new CredentialsClient(
      options,
      () => asked,
      clock,
      (reason) => void failures.push(reason),
    );
    connecting = client.connect();
  });

  it('still waits where it is disconnected only to connect again', async () => {
    client.disconnect(true);
    expect([client.isAsking, clock.timers]).toEqual([true, 1]);
    client.disconnect();
    await connecting;
  });
});

describe('CredentialsClient whose connection cannot begin', () => {
  const WRONG: NodeCredentials = { tls: { cert: 'no certificate' } };
  let clock: VirtualClock;
  let failures: string[];
  let answers: NodeCredentials[];
  let calls: number;
  let client: CredentialsClient;
  beforeEach(() => {
    clock = new VirtualClock();
    [failures, answers, calls] = [[], [], 0];
    const credentials = (): NodeCredentials => {
      calls += 1;
      return answers.shift() ?? WRONG;
    };
    client = clientWith({ tls: {} }, credentials);
  });
  afterEach(() => client.disconnect());

  const clientWith = (options: RedisOptions, credentials?: () => NodeCredentials): CredentialsClient => {
    const terms = { credentials, clock, failed: (reason: string) => void failures.push(reason) };
    // Nothing listens at this port. ioredis connects again by a timer of its own, which does not run out here; it leaves another one, for the end.
    const own = { host: '127.0.0.1', port: 1, lazyConnect: true, retryStrategy: () => 60_000, disconnectTimeout: 0 };
    return new CredentialsClient({ ...own, ...options }, terms.credentials, terms.clock, terms.failed).on(
      'error',
      () => undefined,
    );
  };

  it('leaves the next attempts to ioredis once a connection could begin, and starts with the first pause after that', async () => {
    answers = [WRONG, WRONG, { tls: {} }];
    await expect(client.connect()).rejects.toThrow();
    await clock.advance(clock.nextIn);
    await clock.advance(clock.nextIn);
    await eventually(() => expect(client.status).toBe('reconnecting'));
    expect([calls, failures.length, clock.timers]).toEqual([3, 2, 0]);
    await expect(client.connect()).rejects.toThrow();
    expect(clock.nextIn).toBeLessThanOrEqual(250 * 1.25);
  });

  it.each<[string, (() => NodeCredentials) | undefined]>([
    ['with credentials()', () => ({ password: 'p' })],
    ['without', undefined],
  ])('does not try a refused connection again beside ioredis, %s', async (_case, credentials) => {
    client = clientWith({}, credentials);
    await expect(client.connect()).rejects.toThrow();
    expect([client.status, failures, clock.timers]).toEqual(['reconnecting', [], 0]);
  });

  it('leaves no timer, and does not ask again, once it is disconnected', async () => {
    await expect(client.connect()).rejects.toThrow();
    client.disconnect();
    expect(clock.timers).toBe(0);
    await clock.advance(60_000);
    expect([calls, failures.length]).toEqual([1, 1]);
  });

  it('leaves no timer, and tells of no failure, where it is disconnected as the connection begins', async () => {
    client = clientWith({ tls: { cert: 'no certificate' } });
    const connecting = client.connect();
    client.disconnect();
    await expect(connecting).rejects.toThrow();
    expect([client.status, failures, clock.timers]).toEqual(['end', [], 0]);
  });
});
