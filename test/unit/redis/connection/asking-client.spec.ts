import { beforeEach, describe, expect, it } from '@jest/globals';
import { AskingClient } from '../../../../lib/redis/connection/asking-client.js';
import type { NodeCredentials } from '../../../../lib/redis/connection/settings/credentials.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

describe('AskingClient that is disconnected while credentials() takes its time', () => {
  let clock: VirtualClock;
  let failures: string[];
  let answer: (credentials: NodeCredentials) => void;
  let fail: (error: Error) => void;
  let client: AskingClient;
  let connecting: Promise<void>;
  beforeEach(() => {
    clock = new VirtualClock();
    failures = [];
    const asked = new Promise<NodeCredentials>((resolve, reject) => ([answer, fail] = [resolve, reject]));
    const terms = { credentials: () => asked, clock, failed: (reason: string) => void failures.push(reason) };
    client = new AskingClient({ host: '127.0.0.1', port: 1, lazyConnect: true }, terms);
    connecting = client.connect();
  });

  it('waits no longer, leaves no timer, and tells of no failure', async () => {
    expect([client.isAsking, clock.timers]).toEqual([true, 1]);
    client.disconnect();
    await connecting;
    expect([client.isAsking, clock.timers, failures]).toEqual([false, 0, []]);
  });

  it.each<[string, () => void]>([
    ['is answered', () => answer({ password: 'p' })],
    ['fails', () => fail(new Error('too late'))],
  ])('connects no more where it %s after that', async (_case, end) => {
    client.disconnect();
    await connecting;
    end();
    await clock.advance(60_000);
    expect([client.status, clock.timers, failures]).toEqual(['end', 0, []]);
  });

  it('still waits where it is disconnected only to connect again', async () => {
    client.disconnect(true);
    expect([client.isAsking, clock.timers]).toEqual([true, 1]);
    client.disconnect();
    await connecting;
  });

  it('does not ask where it was disconnected before', async () => {
    client.disconnect();
    await connecting;
    await client.connect();
    expect([client.isAsking, clock.timers]).toEqual([false, 0]);
  });
});
