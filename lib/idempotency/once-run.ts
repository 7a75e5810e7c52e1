import type { LockOptions } from '../engine/options.js';
import type { OnceCall } from './once-call.js';
import type { Ended, Outcome } from './outcome.js';

/** What a run goes by, with all defaults filled in. Times in ms. */
export interface OnceSettings {
  readonly keep: number;
  readonly maxBytes: number;
  readonly onBusy: 'wait' | 'reject';
  readonly onInterrupted: 'rerun' | 'refuse';
  /** Options of the lock, as far as they differ from those of the pool. */
  readonly lock: Pick<LockOptions, 'ttl' | 'waitTimeout' | 'maxHold'>;
}

/** One call that is to run once for its key. */
export interface OnceRun {
  readonly key: string;
  readonly fingerprint: string | null;
  /** What stands for the key in telemetry: its template. */
  readonly label: string;
  readonly settings: OnceSettings;
  work(call: OnceCall): Promise<Ended>;
  /** Makes the outcome that `keepIn` keeps. */
  outcomeOf(value: unknown): Outcome | Promise<Outcome>;
}

/** 'own': the work of this very call ran, and what it ended with counts. 'replay': another call ran. */
export type OnceResult = { readonly kind: 'own' } | { readonly kind: 'replay'; readonly outcome: Outcome };
