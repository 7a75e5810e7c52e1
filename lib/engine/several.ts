import type { PreparedOptions } from '../core/api/options.js';
import { isPart, take, type Call, type Part } from './caller.js';
import { HeldLock, type LockOwner } from './held-lock.js';
import type { LocalQueues } from './local-queues.js';
import type { Denied } from './outcome.js';

/** Nobody outside knows of the parts until the call has all of them. */
const SILENT: LockOwner = { emit: () => undefined, over: () => undefined };

/**
 * Takes a lease of each resource: all at once as single attempts. If one is denied, the call keeps those before it in sorted order, gives the
 * others back, and waits in the queue of that one; then again. All callers use the same order, so there is no deadlock.
 * @throws the reason of an abort
 */
export async function takeSeveral(queues: LocalQueues, call: Call): Promise<Part[] | Denied> {
  // By code units, which is the same order in every process.
  const sorted = [...call.resources].sort((one, other) => (one < other ? -1 : 1));
  const parts = new Map<string, HeldLock>();
  const keep = (resource: string, part: Part): void => {
    const options: PreparedOptions = { ...call.options, autoExtend: true, maxHold: Infinity, minHold: 0 };
    parts.set(resource, new HeldLock(queues.pool, [resource], [part], { options, owner: SILENT }));
  };
  const giveAllBack = (): void => {
    for (const resource of parts.keys()) void giveBack(parts, resource);
  };
  try {
    for (;;) {
      dropLost(parts);
      const missing = sorted.filter((resource) => !parts.has(resource));
      const tries = await Promise.all(missing.map((resource) => take(queues, resource, call, true)));
      for (const [index, tried] of tries.entries()) if (isPart(tried)) keep(missing[index]!, tried);
      const denied = tries.findIndex((tried) => !isPart(tried));
      if (denied === -1) {
        if (await agreeOnToken(parts)) return sorted.map((resource) => parts.get(resource)!.dissolve()[0]!);
        giveAllBack();
        return { kind: 'no token', nodes: [] };
      }
      // Also what was kept before: a call that waits holds nothing behind what it waits for.
      const behind = sorted.slice(sorted.indexOf(missing[denied]!));
      await Promise.all(behind.map((resource) => giveBack(parts, resource)));
      const taken = call.isPatient ? await take(queues, missing[denied]!, call, false) : (tries[denied] as Denied);
      if (isPart(taken)) keep(missing[denied]!, taken);
      else {
        giveAllBack();
        return taken;
      }
    }
  } catch (error) {
    giveAllBack();
    throw error;
  }
}

function dropLost(parts: Map<string, HeldLock>): void {
  for (const [resource, part] of parts) if (!part.isValid) parts.delete(resource);
}

async function giveBack(parts: Map<string, HeldLock>, resource: string): Promise<void> {
  const part = parts.get(resource);
  parts.delete(resource);
  await part?.release();
}

/** Raises the tokens of all parts to the greatest: a lock has one. Returns whether a quorum confirmed that for each, and all are valid. */
async function agreeOnToken(parts: ReadonlyMap<string, HeldLock>): Promise<boolean> {
  const locks = [...parts.values()];
  const token = Math.max(...locks.map(({ fencingToken }) => fencingToken));
  const raised = await Promise.all(locks.map((lock) => lock.raise(token)));
  return raised.every(Boolean) && locks.every(({ isValid }) => isValid);
}
