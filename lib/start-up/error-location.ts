import { CODES, mistake, type Mistake } from '../engine/codes.js';

/** Returns the error once more, with the place of the mistake in front of its message. */
export function located(error: Error, where: string): Error {
  const Kind = error instanceof RangeError ? RangeError : TypeError;
  const text = `${where}: ${error.message}`;
  const { code = '' } = error as Partial<Mistake>;
  // The message of a mistake ends with its code. Any other error comes from a key without parts that is no usable name.
  if (!Object.hasOwn(CODES, code)) return mistake('REDLOCK_E06', text, { Kind, cause: error });
  return Object.assign(new Kind(text, { cause: error }), { code });
}

/** Runs `work`, and names the place in the error that it throws. */
export function locateErrors<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw located(error as Error, where);
  }
}
