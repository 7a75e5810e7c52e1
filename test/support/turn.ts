/** Resolves in a later turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise(setImmediate);
}
