// Ends what the launcher left behind, however the launcher ended: SIGKILL runs no handler.
import { rmSync } from 'node:fs';
import { signalGroup } from './signal-group.mjs';

/** @typedef {{ sign: '+' | '-', kind: 'pid' | 'folder', id: number | string }} Entry */

/** @type {Map<Entry['id'], Entry['kind']>} */
const left = new Map();

process.on('message', (message) => {
  const { sign, kind, id } = /** @type {Entry} */ (message);
  if (sign === '+') left.set(id, kind);
  else left.delete(id);
});

process.once('disconnect', () => {
  for (const [id, kind] of left) {
    if (kind === 'pid') signalGroup(Number(id), 'SIGKILL');
    else rmSync(String(id), { recursive: true, force: true });
  }
});
