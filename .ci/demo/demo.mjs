// The process that guardian.mjs starts: everything from the build to the end.
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { build } from './build.mjs';
import { openDatabase } from './database.mjs';
import { guide } from './guide.mjs';
import { Interruption, Lifetime } from './lifetime.mjs';
import { startReplicas } from './processes.mjs';
import { isExactlyOnce, isOneAnswer, race } from './race.mjs';
import { openNodes } from './redis-nodes.mjs';
import { table } from './table.mjs';

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
  const replicas = await startReplicas(lifetime, nodes, databaseUrl);
  console.log(`Two replicas, ${nodes.length} Redis nodes, one Postgres; fifty identical sign-ups at the same moment:`);
  return { nodes, replicas };
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
  console.log(`\n${guide(replicas, nodes)}`);
  const reason = await lifetime.over;
  if (reason instanceof Interruption) return exitCode;
  throw reason;
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
