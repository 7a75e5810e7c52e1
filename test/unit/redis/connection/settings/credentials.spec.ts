import { beforeEach, describe, expect, it } from '@jest/globals';
import { AbortSource } from '../../../../../lib/engine/abort.js';
import {
  askForCredentials,
  type CredentialsFunction,
} from '../../../../../lib/redis/connection/settings/credentials.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';

describe('askForCredentials', () => {
  let clock: VirtualClock;
  let closing: AbortSource;
  const ask = (credentials: () => unknown) => askForCredentials(credentials as CredentialsFunction, clock, closing);
  const problem = (credentials: () => unknown): Promise<string> =>
    ask(credentials).then(
      () => 'none',
      (error: Error) => error.message,
    );

  beforeEach(() => {
    [clock, closing] = [new VirtualClock(), new AbortSource()];
  });

  it.each([
    [{ password: 'p' }],
    [{ username: 'u', password: 'p' }],
    [{ username: undefined, password: 'p', tls: undefined }],
    [{ tls: { ca: 'x' } }],
    [{ username: 'u', password: 'p', tls: {} }],
  ])('takes %j, at once or later, and leaves no timer', async (answer) => {
    await expect(ask(() => answer)).resolves.toEqual(answer);
    await expect(ask(async () => answer)).resolves.toEqual(answer);
    expect(clock.timers).toBe(0);
  });

  it.each<[unknown, string]>([
    [undefined, 'has returned undefined'],
    [null, 'has returned null'],
    ['s3cret', 'has returned a value of type string'],
    [() => 's3cret', 'has returned a value of type function'],
    [{}, 'neither a password nor tls'],
    [{ password: 5 }, 'password is a value of type number instead of a text'],
    [{ password: '' }, 'password is an empty text instead of a text'],
    [{ username: '', password: 's3cret' }, 'username is an empty text'],
    [{ username: 's3cret' }, 'a username without a password'],
    [{ username: 's3cret', tls: {} }, 'a username without a password'],
    [{ password: 's3cret', tls: 's3cret' }, 'tls is a value of type string'],
    [{ tls: false }, 'neither a password nor tls'],
    [{ password: 's3cret', tls: { ca: 's3cret', port: 6_379 } }, 'tls.port says where the node is'],
    [{ pass: 's3cret' }, "there is no 'pass' among them"],
    [{ password: 's3cret', host: 'h' }, "there is no 'host' among them"],
  ])('refuses %j, says why, and shows none of it', async (answer, why) => {
    const message = await problem(() => answer);
    expect(message).toContain('it has to return { username?, password?, tls? }, and ');
    expect(message).toContain(why);
    expect(message).not.toContain('s3cret');
  });

  it.each([
    [{ password: 'p', tls: null }, { password: 'p' }],
    [{ password: 'p', tls: false }, { password: 'p' }],
    [{ tls: true }, { tls: {} }],
  ])('reads tls in %j as ioredis means it', async (answer, read) => {
    await expect(ask(() => answer)).resolves.toEqual(read);
  });

  it('gives up after 10 s, and ignores what the function returns after that', async () => {
    let fail: (error: Error) => void = () => undefined;
    const late = problem(() => new Promise((_resolve, reject) => (fail = reject)));
    await clock.advance(9_999);
    expect(clock.timers).toBe(1);
    await clock.advance(1);
    await expect(late).resolves.toBe('it has not answered within 10000 ms');
    fail(new Error('too late'));
    await clock.advance(0);
  });

  it.each<[string, string, () => unknown]>([
    ['has not answered', 'closed', () => new Promise(() => undefined)],
    [
      'throws',
      'thrown',
      () => {
        throw new Error('thrown');
      },
    ],
  ])('leaves no timer where the pool is closed by a function that %s', async (_case, why, end) => {
    const asked = problem(() => {
      closing.stop(new Error('closed'));
      return end();
    });
    await expect(asked).resolves.toBe(why);
    await clock.advance(0);
    expect(clock.timers).toBe(0);
  });
});
