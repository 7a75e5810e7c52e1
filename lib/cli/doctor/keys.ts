import { checkOfNode, type Check } from './check.js';

const SHOWN = 3;

/** Another program may use the same names. */
const foreignKeys = checkOfNode('foreign keys', ({ keys: { foreign } }) => {
  if (foreign.size === 0) return undefined;
  return {
    severity: 'warning',
    what: `data of another type is under the prefix of the locks: ${examples(foreign)}`,
    why: 'a lock of that name counts as held for as long as the data is there',
    remedy:
      'find out whose it is (Redisson and Symfony keep locks so); if it is there by mistake, give the locks a prefix of their own',
  };
});

/** This library gives each lock a ttl. */
const endlessKeys = checkOfNode('keys without a ttl', ({ keys: { endless } }) => {
  if (endless.size === 0) return undefined;
  return {
    severity: 'warning',
    what: `keys that never end are under the prefix of the locks: ${examples(endless)}`,
    why: 'if their owner has crashed, nobody gets these locks any more',
    remedy:
      'look at the holder by `nestjs-redlock ls`, and release the lock by `nestjs-redlock break <resource>` if the holder is gone',
  };
});

/** A queue lasts for a minute without a sign of its waiters, and the node passes over those that are gone. */
const deadQueues = checkOfNode('queues without a living waiter', ({ keys: { deadQueues: queues } }) => {
  if (queues.size === 0) return undefined;
  return {
    severity: 'advice',
    what: `nobody who waits in the queue for ${examples(queues)} is connected`,
    why: 'processes that waited have crashed, or have lost their connection to this node',
    remedy:
      'nothing has to be done: the queue ends within a minute, and a release passes over it; look at the processes if it comes back',
  };
});

/** Without all keys, the other checks of keys may miss something. */
const hiddenKeys = checkOfNode('hidden keys', ({ keys: { hidden } }) => {
  if (hidden === undefined) return undefined;
  return {
    severity: 'advice',
    what: `some of its keys are unknown: ${hidden}`,
    why: 'other programs may use the names of locks, or locks may never end, and nothing here would say so',
    remedy: 'run doctor as a user that may also run SCAN, and with a --timeout that is long enough for all keys',
  };
});

/** Returns the first of many names, and how many more there are. */
function examples(names: ReadonlySet<string>): string {
  const shown = [...names].sort().slice(0, SHOWN).join(', ');
  return names.size > SHOWN ? `${shown} and ${names.size - SHOWN} more` : shown;
}

export const KEY_CHECKS: readonly Check[] = [foreignKeys, endlessKeys, deadQueues, hiddenKeys];
