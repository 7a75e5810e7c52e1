import { examples } from '../examples.js';
import { checkOfKeys } from '../check-of-keys.js';

/** This library gives each lock a ttl. */
export const endlessKeys = checkOfKeys('keys without a ttl', ({ endless }) => {
  if (endless.length === 0) return undefined;
  return {
    severity: 'warning',
    what: `keys that never end are under the prefix of the locks: ${examples(endless)}`,
    why: 'if their owner has crashed, nobody gets these locks any more',
    remedy:
      'look at the holder by `nestjs-redlock ls`, and release it by `nestjs-redlock break <resource>` where it is gone',
  };
});
