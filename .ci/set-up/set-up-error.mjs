/** What the reader has to do something about; its message is all that is shown. */
export class SetUpError extends Error {}

/**
 * Shows the message alone, and makes the process fail when it ends.
 * @param {unknown} error
 */
export function report(error) {
  if (!(error instanceof SetUpError)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}
