/** The engine of the page has a simulated clock: these are only what the engine names. */
export const { setTimeout, setInterval, clearTimeout } = globalThis;

export function setImmediate(task: () => void): void {
  setTimeout(task, 0);
}
