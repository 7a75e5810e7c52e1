/** A browser has no limit for listeners. */
export function setMaxListeners(): void {
  // Nothing.
}
