import { holderOf, type ProcessNote } from '../../engine/process-mark.js';

/** A process that holds a lock or waits for one; empty for a value of another library. */
export interface Holder extends Partial<ProcessNote> {
  /** The beginning of all values of the process. */
  readonly mark?: string | undefined;
}

/** Returns the process that made a value. */
export function processOf(value: string): Holder {
  const known = holderOf(value);
  return known === undefined ? {} : { mark: known.holder, ...known.process };
}

/** Returns a holder in one line. */
export function named({ mark, host, pid, application }: Holder): string {
  return mark === undefined ? 'another library' : `${application} on ${host}, pid ${pid}`;
}
