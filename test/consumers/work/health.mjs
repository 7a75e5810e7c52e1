import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { Servers } from '../../bench/redis/servers.mjs';

const PATIENCE = 20_000;
/** What an application without all of its nodes answers: terminus 11 knows no `degraded`. */
const IMPAIRED = {
  11: { status: 'ok', locks: { status: 'up', impaired: true } },
  12: { status: 'degraded', locks: { status: 'degraded', impaired: undefined } },
};

/**
 * Compiles the application, types of packages included, and looks at its health while nodes of its own are killed, started again and frozen.
 * @param {import('../harness/workplace.mjs').Application & { terminus: 11 | 12 }} application
 * @returns {(place: import('../harness/workplace.mjs').Workplace) => Promise<void>}
 */
export function healthy({ terminus, ...application }) {
  return async (place) => {
    const servers = new Servers();
    await servers.start();
    place.env.REDLOCK_NODES = servers.ports.map((port) => `redis://127.0.0.1:${port}`).join(',');
    const folder = place.furnish({ ...application, compilerOptions: { skipLibCheck: false } });
    await place.run(folder, place.installed(application.install, 'typescript/bin/tsc'), '--project', '.');
    const url = await place.start(folder, 'dist/express.js', /listening on (\S+)/);
    await checkHealth(`${url}/health`, servers, IMPAIRED[terminus]);
    await place.clear();
    await Promise.all(servers.ports.map((_, index) => servers.kill(index)));
  };
}

/** @param {string} url @param {Servers} servers @param {{ status: string, locks: object }} impaired */
async function checkHealth(url, servers, { status, locks }) {
  const three = [0, 1, 2];
  const up = () => untilHealth(url, [200, 'ok'], { status: 'up', votes: 5, margin: 2 });
  const oneOut = () => untilHealth(url, [200, status], { ...locks, votes: 4, margin: 1 });
  const down = () => untilHealth(url, [503, 'error'], { status: 'down', votes: 2, margin: -1 });
  await up();
  await servers.kill(0);
  await oneOut();
  await Promise.all([1, 2].map((index) => servers.kill(index)));
  await down();
  await untilHealth(`${url}/calm`, [200, status], { ...locks, votes: 2, nodes: undefined });
  await Promise.all(three.map((index) => servers.restart(index)));
  await up();
  servers.freeze(0);
  await oneOut();
  for (const index of three) servers.freeze(index);
  await down();
  for (const index of three) servers.thaw(index);
  await up();
}

/** @param {string} url @param {[number, string]} answers the codes of HTTP and of terminus @param {Record<string, unknown>} locks */
async function untilHealth(url, answers, locks) {
  for (const end = performance.now() + PATIENCE; ; await setTimeout(100)) {
    const answer = await fetch(url);
    const body = /** @type {any} */ (await answer.json());
    try {
      assert.deepEqual([answer.status, body.status], answers);
      for (const [name, value] of Object.entries(locks)) assert.equal(body.details.locks[name], value, name);
      return;
    } catch (error) {
      if (performance.now() > end) throw new Error(`${url}: ${JSON.stringify(body)}`, { cause: error });
    }
  }
}
