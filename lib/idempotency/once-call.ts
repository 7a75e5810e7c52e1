import { AsyncLocalStorage } from 'node:async_hooks';
import type { OnceMessage } from '../engine/channels.js';
import type { Lock } from '../engine/lock.js';
import type { LockOptions } from '../engine/options.js';
import type { Outcome } from './record.js';
import type { Sql } from './reply-store.js';

/** One run of the work for a key. */
export interface OnceCall {
  /** The key of the call. */
  readonly key: string;
  /** 1 for the first run, and more if earlier runs were interrupted. */
  readonly attempt: number;
  /** 'interrupted' if an earlier run started and did not end, so that its effects are unknown. */
  readonly previous: 'none' | 'interrupted';
  /** The fencing token of the lock. */
  readonly fencingToken: number;
  /** Aborts when the lock is lost. Another run may start then. */
  readonly signal: AbortSignal;
  /** The lock of this run. */
  readonly lock: Lock;
  /**
   * Keeps the reply within your transaction, as its last statement. The database commits the effect and the reply together.
   * @throws IdempotencyError with the code IDEMPOTENCY_SUPERSEDED if a later run has taken over: roll the transaction back;
   * TypeError for a store without transactions
   */
  keepIn(transaction: Sql, value: unknown): Promise<void>;
}

/** How a call runs, with all defaults filled in. Times in ms. */
export interface OnceSettings {
  readonly keep: number;
  readonly maxBytes: number;
  readonly onBusy: 'wait' | 'reject';
  readonly onInterrupted: 'rerun' | 'refuse';
  /** Options of the lock that differ from those of the pool. */
  readonly lock: Pick<LockOptions, 'ttl' | 'waitTimeout' | 'maxHold'>;
}

/** A call that runs once for its key. */
export interface OnceRun {
  readonly key: string;
  readonly fingerprint: string | null;
  /** The name of the call in telemetry: its template. */
  readonly label: string;
  readonly settings: OnceSettings;
  work(call: OnceCall): Promise<Ended>;
  /** Makes the outcome that `keepIn` keeps. */
  outcomeOf(value: unknown): Outcome | Promise<Outcome>;
}

/** How the work has ended. */
export type Ended =
  | { readonly keep: Outcome }
  /** It failed: the next duplicate runs. */
  | { readonly keep: 'nothing'; readonly error: unknown }
  /** It failed with unknown effects: the next duplicate is refused. */
  | { readonly keep: 'mark'; readonly error: unknown };

/** 'own': the work of this call ran, and its end counts. 'replay': another call ran. */
export type OnceResult = { readonly kind: 'own' } | { readonly kind: 'replay'; readonly outcome: Outcome };

/** The message of the channel, while the call fills it in. */
export type OnceNote = { -readonly [Name in keyof OnceMessage]: OnceMessage[Name] };

interface Inside {
  readonly key: string;
  outer: Inside | undefined;
  isOver: boolean;
}

/** The calls around the running code. */
const around = new AsyncLocalStorage<Inside>();

/** Returns whether a call for the key would wait for itself. Code that outlives its call is outside of it. */
export function isWithin(key: string): boolean {
  for (let inside = around.getStore(); inside !== undefined; inside = inside.outer)
    if (!inside.isOver && inside.key === key) return true;
  return false;
}

/** Returns the innermost call that still runs, and unlinks those that are over: work that starts its own successor would keep all of them alive. */
function runningFrom(inside: Inside | undefined): Inside | undefined {
  let running = inside;
  while (running?.isOver) running = running.outer;
  if (running) running.outer = runningFrom(running.outer);
  return running;
}

/** Runs the work within its call. */
export async function runWithin<T>(key: string, work: () => Promise<T>): Promise<T> {
  const inside = { key, outer: runningFrom(around.getStore()), isOver: false };
  try {
    return await around.run(inside, work);
  } finally {
    inside.isOver = true;
  }
}
