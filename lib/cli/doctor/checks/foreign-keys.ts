import { examples } from '../examples.js';
import { checkOfKeys } from '../check-of-keys.js';

/** Another program may use the same names. */
export const foreignKeys = checkOfKeys('foreign keys', ({ foreign }) => {
  if (foreign.length === 0) return undefined;
  return {
    severity: 'warning',
    what: `data of another type is under the prefix of the locks: ${examples(foreign)}`,
    why: 'a lock of that name counts as held for as long as the data is there',
    remedy:
      'find out whose it is (Redisson and Symfony keep locks so), and give the locks a prefix of their own where it is not meant',
  };
});
