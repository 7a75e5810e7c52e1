/** Does nothing: for listeners, timers and rejections that need no reaction. The place that passes it on says why. */
export function ignore(): void {
  // Nothing to do.
}
