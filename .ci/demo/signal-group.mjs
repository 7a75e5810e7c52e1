/**
 * Signals a process that leads a group, and what it started itself, as a build starts compilers.
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
export function signalGroup(pid, signal) {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // It ended by itself a moment ago.
  }
}
