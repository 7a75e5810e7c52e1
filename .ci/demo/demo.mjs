// The process that guardian.mjs starts: everything from the build to the end.
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from './build.mjs';
import { openDatabase } from './database.mjs';
import { guide } from './guide.mjs';
import { Interruption, Lifetime } from './lifetime.mjs';
import { startReplicas } from './processes.mjs';
import { openFront } from '../../sample-app/live/front.mjs';
import { isExactlyOnce, isOneAnswer, race } from '../../sample-app/live/race.mjs';
import { NodeProcess, openNodes } from './redis-nodes.mjs';
import { table } from './table.mjs';

/** Ms: a lease, and the time in which a restarted node does not vote. */
const MAX_TTL = 3_000;
/** Settings for nodes that may be restarted empty. For one race, the quarantine of new nodes would only be a wait. */
const FORGETFUL = { MAX_TTL: String(MAX_TTL), RESTART_QUARANTINE: 'true' };
const [folder = '', mode] = process.argv.slice(2);
const lifetime = new Lifetime();

// The guardian was killed, and can end nothing any more.
process.once('disconnect', () => {
  rmSync(folder, { recursive: true, force: true });
  process.kill(-process.pid, 'SIGKILL');
});
// A terminal that is closed takes its output along; without listeners that would end this process before its children.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

async function start() {
  await build(lifetime);
  const [nodes, databaseUrl] = await Promise.all([openNodes(lifetime, folder), openDatabase(lifetime)]);
  const urls = { REDLOCK_NODES: nodes.map(({ url }) => url).join(), DATABASE_URL: databaseUrl };
  const replicas = await startReplicas(lifetime, { ...urls, ...(isBreakable(nodes) && FORGETFUL) });
  if (isBreakable(nodes)) await untilReady(replicas);
  console.log(`Two replicas, ${nodes.length} Redis nodes, one Postgres; fifty identical sign-ups at the same moment:`);
  return { nodes, replicas };
}

/** Whether the live page may break the nodes. @param {Awaited<ReturnType<typeof openNodes>>} nodes */
function isBreakable(nodes) {
  return mode !== '--once' && nodes.every((node) => node instanceof NodeProcess);
}

/** New nodes do not vote for `MAX_TTL`. @param {string[]} replicas */
async function untilReady(replicas) {
  console.log(`Waiting until the new nodes vote: ${MAX_TTL / 1_000} s`);
  const isReady = (/** @type {string} */ url) => fetch(`${url}/health/ready`).then(({ ok }) => ok);
  while (!(await Promise.all(replicas.map(isReady))).every(Boolean)) await sleep(100);
}

/** @param {string[]} replicas @returns {Promise<number>} the exit code: 0 where the lock did its work */
async function races(replicas) {
  const unsafe = await race(replicas, '/unsafe/users');
  const locked = await race(replicas, '/users');
  const once = await race(replicas, '/once/users');
  console.log(`\n${table([unsafe, locked, once])}`);
  if (!isExactlyOnce(locked)) console.error('\nPOST /users: there should be exactly one user, one bonus and one 201.');
  if (!isOneAnswer(once))
    console.error('\nPOST /once/users: there should be one user, one bonus and the same 201 for all.');
  return isExactlyOnce(locked) && isOneAnswer(once) ? 0 : 1;
}

async function demo() {
  const { nodes, replicas } = await lifetime.unlessOver(start());
  const exitCode = await lifetime.unlessOver(races(replicas));
  if (mode === '--once') return exitCode;
  const page = await openPage(replicas, nodes);
  console.log(`\n${guide(page, replicas, nodes)}`);
  const reason = await lifetime.over;
  if (reason instanceof Interruption) return exitCode;
  throw reason;
}

/** @param {string[]} replicas @param {Awaited<ReturnType<typeof openNodes>>} nodes */
async function openPage(replicas, nodes) {
  const port = process.env.PORT ? Number(process.env.PORT) : undefined;
  const { url, close } = await openFront({
    replicas,
    nodes: nodes.filter((node) => node instanceof NodeProcess),
    port,
  });
  lifetime.atEnd(async () => close());
  return url;
}

/** @param {Error} reason @returns {number} the exit code, which a shell would report for a process that a signal ended */
function report(reason) {
  if (reason instanceof Interruption) return 128 + constants.signals[/** @type {'SIGINT'} */ (reason.message)];
  console.error(`\n${reason.message}`);
  return 1;
}

const exitCode = await demo().catch(report);
await lifetime.end();
process.exit(exitCode);
