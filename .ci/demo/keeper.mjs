import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('keeper-process.mjs', import.meta.url));

/** The launcher's line to the process that clears up after it should it be killed. */
export class Keeper {
  #child = startKeeper();

  /** @param {'pid' | 'folder'} kind @param {number | string | undefined} id */
  keep(kind, id) {
    if (id !== undefined) this.#send({ sign: '+', kind, id });
  }

  /** @param {'pid' | 'folder'} kind @param {number | string | undefined} id */
  forget(kind, id) {
    if (id !== undefined) this.#send({ sign: '-', kind, id });
  }

  async close() {
    if (!this.#child.connected) return;
    this.#child.ref();
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }

  /** @param {object} entry */
  #send(entry) {
    // It may have been killed: then there is nobody to clear up after this process, and that is all.
    this.#child.send(entry, () => undefined);
  }
}

function startKeeper() {
  const child = fork(PROGRAM, { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  child.on('error', () => undefined);
  child.unref();
  child.channel?.unref();
  return child;
}
