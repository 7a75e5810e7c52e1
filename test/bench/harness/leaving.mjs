// However the bench ends, it leaves no process and no file behind.
import { once } from 'node:events';
import { constants } from 'node:os';

/** @type {Set<import('node:child_process').ChildProcess>} */
const alive = new Set();
/** @type {(() => void)[]} */
const errands = [];

/** Notes a process that is to end with the bench. @param {import('node:child_process').ChildProcess} child */
export function started(child) {
  alive.add(child);
  child.once('exit', () => alive.delete(child));
}

/** @param {() => void} errand what is to be done, without waiting, when the bench ends */
export function onEnd(errand) {
  errands.push(errand);
}

/** Ends all that was started and waits until it is gone. */
export async function leave() {
  const gone = Array.from(alive, (child) => once(child, 'exit'));
  endAll();
  await Promise.all(gone);
}

function endAll() {
  for (const child of alive) child.kill('SIGKILL'); // a frozen process hears nothing else
  for (const errand of errands.splice(0)) errand();
}

export function leaveCleanly() {
  process.once('exit', endAll);
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.once(signal, () => {
      void leave().finally(() => process.exit(128 + constants.signals[signal]));
    });
  }
}
