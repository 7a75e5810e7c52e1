import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { Launch, LIMIT, SHOWS_PROCESSES } from './sample-app/launch.js';

const SERVING = 'serve until Ctrl-C';
const onLinux = SHOWS_PROCESSES ? it : it.skip;

const folder = mkdtempSync(join(tmpdir(), 'redlock-launch-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let launch: Launch;

afterEach(async () => {
  launch.signal('SIGKILL');
  await launch.ended();
});

// A process that was killed is gone a moment later.
const nothingLeft = (): Promise<void> => eventually(() => launch.checkNothingLeft());

function signUp(replica: string | undefined, email: string): Promise<Response> {
  return fetch(`${replica}/users`, { method: 'POST', body: new URLSearchParams({ email, name: 'Ada' }) });
}

describe('npm start -- --once', () => {
  it(
    'makes one user, one bonus and one 201 out of fifty sign-ups under the lock, fifty times the same 201 once, and leaves nothing',
    async () => {
      launch = new Launch(folder, '--once');
      expect([await launch.ended(), launch.output]).toEqual([0, expect.stringContaining('POST /users')]);
      const { 'POST /unsafe/users': unsafe, 'POST /users': locked, 'POST /once/users': once } = launch.table;
      expect(locked).toMatchObject({
        requests: 50,
        'users created': 1,
        'bonuses paid': 1,
        '201s': 1,
        '409s': 49,
        other: 0,
      });
      expect(once).toMatchObject({ requests: 50, 'users created': 1, 'bonuses paid': 1, '201s': 50, other: 0 });
      expect(unsafe).toMatchObject({ requests: 50, 'users created': unsafe?.['201s'], other: 0 });
      expect(unsafe?.['users created']).toBeGreaterThanOrEqual(1);
      await nothingLeft();
    },
    LIMIT,
  );

  it('says what it does not understand', async () => {
    launch = new Launch(folder, '--twice');
    expect(await launch.ended()).toBe(2);
    expect(launch.output).toMatch(/Unknown option '--twice'[^]*Usage: npm start/);
  });
});

describe('npm start', () => {
  it(
    'serves both replicas after the race, and leaves nothing after Ctrl-C',
    async () => {
      launch = new Launch(folder);
      await launch.untilSaid(SERVING);
      const [first, second] = launch.replicas;
      const email = `${randomUUID()}@example.com`;
      expect((await signUp(first, ` ${email.toUpperCase()} `)).status).toBe(201);
      expect((await signUp(second, email)).status).toBe(409);
      expect((await signUp(first, 'nobody')).status).toBe(400);
      expect(await (await fetch(`${second}/users?email=${email}`)).json()).toEqual({ email, users: 1, bonuses: 1 });
      launch.signal('SIGINT');
      expect(await launch.ended()).toBe(0);
      await nothingLeft();
    },
    LIMIT,
  );

  it(
    'clears up after the unsafe sign-ups when asked to, on whichever replica',
    async () => {
      launch = new Launch(folder);
      await launch.untilSaid(SERVING);
      const [first, second] = launch.replicas;
      const unsafe = launch.table['POST /unsafe/users']?.['users created'] ?? 0;
      const removals = await Promise.all(
        [first, second].map(async (replica) => (await fetch(`${replica}/duplicates`, { method: 'DELETE' })).json()),
      );
      const answer = { removed: expect.any(Number), busy: expect.any(Array) } as const;
      expect(removals).toEqual([answer, answer]);
      const removed = (removals as { removed: number }[]).map((removal) => removal.removed);
      expect(removed.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(unsafe - 1);
      expect(await (await fetch(`${first}/duplicates`, { method: 'DELETE' })).json()).toEqual({ removed: 0, busy: [] });
      launch.signal('SIGTERM');
      expect(await launch.ended()).toBe(0);
      await nothingLeft();
    },
    LIMIT,
  );

  onLinux(
    'leaves nothing when it is interrupted on the way up, also by an impatient reader',
    async () => {
      launch = new Launch(folder);
      await eventually(() => expect(launch.processes('redis')).toHaveLength(5), LIMIT);
      launch.signal('SIGINT');
      launch.signal('SIGINT');
      expect(await launch.ended()).toBe(130);
      await nothingLeft();
    },
    LIMIT,
  );

  onLinux(
    'ends with an error and leaves nothing when a replica dies',
    async () => {
      launch = new Launch(folder);
      await launch.untilSaid(SERVING);
      process.kill(launch.processes('main.js')[0]!, 'SIGKILL');
      expect(await launch.ended()).toBe(1);
      expect(launch.output).toMatch(/replica \d ended \(SIGKILL\)/);
      await nothingLeft();
    },
    LIMIT,
  );

  onLinux(
    'leaves nothing even when it is killed',
    async () => {
      launch = new Launch(folder);
      await launch.untilSaid(SERVING);
      launch.signal('SIGKILL');
      expect(await launch.ended()).toBe('SIGKILL');
      await nothingLeft();
    },
    LIMIT,
  );

  onLinux(
    'leaves nothing when the process that it started for the demo is killed',
    async () => {
      launch = new Launch(folder);
      await eventually(() => expect(launch.processes('redis')).toHaveLength(5), LIMIT);
      process.kill(launch.processes('demo.mjs')[0]!, 'SIGKILL');
      expect(await launch.ended()).toBe(137);
      await nothingLeft();
    },
    LIMIT,
  );
});
