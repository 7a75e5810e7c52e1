import { constants } from 'node:os';

/** Somebody asked the launcher to stop. */
export class Interruption extends Error {
  /** @param {'SIGINT' | 'SIGTERM' | 'SIGHUP'} signal */
  constructor(signal) {
    super(`stopped by ${signal}`);
    /** What a shell reports for a process that the signal ended. */
    this.exitCode = 128 + constants.signals[signal];
  }
}
