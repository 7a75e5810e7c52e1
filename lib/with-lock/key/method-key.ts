import type { SafeLogger } from '../../logging/safe-logger.js';
import { locating } from '../../start-up/error-location.js';
import { inMethod } from './key-roots.js';
import type { KeySource } from './key-template.js';
import { type CompiledKey, compileKey, type LockKey } from './lock-key.js';
import { coded } from '../../engine/codes.js';

/** Returns the key of a method, with errors that name the method, because a call may be far from it. @throws TypeError for a malformed template */
export function compileMethodKey(lockKey: LockKey, where: string, logger: SafeLogger): CompiledKey {
  const warned = new Set<string>();
  const neverThere = (part: string): void => {
    if (warned.has(part)) return;
    warned.add(part);
    const text = `${where}: <${part}> was missing in every call so far, and such calls fail. If the name is misspelt, correct the key`;
    logger.warn(coded('REDLOCK_W10', text));
  };
  const key = locating(where, () => compileKey(lockKey, neverThere));
  const resolve = (source: KeySource): readonly string[] => {
    try {
      return key.resolve(source);
    } catch (error) {
      throw inMethod(error, where);
    }
  };
  return { ...key, resolve };
}
