import { coded, type WarningCode } from './codes.js';
/**
 * Returns a function that calls code of others, such as a listener or a logger, and never throws: an error in it must not keep the callers of locks
 * from their answers. Reports the first error as a warning of the process. `what` names the code for that warning.
 */
export function guarded<Args extends readonly unknown[]>(
  what: string,
  task: (...args: Args) => void,
): (...args: Args) => void {
  let isReported = false;
  return (...args) => {
    try {
      task(...args);
    } catch (error) {
      if (isReported) return;
      isReported = true;
      const reason = error instanceof Error ? error.message : typeof error;
      process.emitWarning(
        coded('REDLOCK_W13', `${what} throws: ${reason}. Locks go on without it; further errors are not reported.`),
        'RedlockWarning',
        'REDLOCK_W13' satisfies WarningCode,
      );
    }
  };
}
