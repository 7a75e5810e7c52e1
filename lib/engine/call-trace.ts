import type { LockEvent, LockListener, RefusalCode } from './events.js';
import type { Lock } from './lock.js';
import type { PreparedOptions } from './options.js';
import { type Clock, elapsed, type Moment } from './clock.js';
import {
  type AcquireMessage,
  type AcquireOutcome,
  acquiring,
  extending,
  holding,
  type HoldMessage,
  working,
} from './channels.js';

/** Only this file writes messages. */
type Writable<Message> = { -readonly [Name in keyof Message]: Message[Name] };

/** A call for a lock that somebody observes. */
export interface ObservedCall {
  readonly pool: string | undefined;
  readonly resources: readonly string[];
  readonly options: PreparedOptions;
  /** @see OwnOptions.skips */
  readonly skips?: boolean | undefined;
}

/** Where the events of a lock go. */
interface Emitting {
  readonly emit: LockListener;
  readonly clock: Clock;
}

const OUTCOMES: Readonly<Partial<Record<RefusalCode, AcquireOutcome>>> = {
  RESOURCE_LOCKED: 'held',
  QUORUM_NOT_REACHED: 'no_quorum',
  ABORTED: 'aborted',
  // The signal of the call was that of another lock.
  LOCK_LOST: 'aborted',
  CLOSED: 'closed',
};

/** Publishes the life of one lock on the channels. Most of it comes from the events of the lock. */
export class CallTrace {
  readonly acquire: Writable<AcquireMessage>;
  readonly #clock: Clock;
  readonly #called: Moment;
  #hold: Writable<HoldMessage> | undefined;
  #taken: Moment | undefined;

  constructor(
    private readonly call: ObservedCall,
    private readonly context: Emitting,
  ) {
    this.acquire = acquireMessage(call);
    this.#clock = context.clock;
    this.#called = this.#clock.now();
  }

  /** Notes what an event says, and passes the event on. */
  readonly note: LockListener = (event) => {
    this.#read(event);
    this.context.emit(event);
  };

  /** Runs what belongs to the lock, such as the work under it, in the context of whoever observes it. */
  within<T>(work: () => T): T {
    return this.#hold === undefined ? work() : working.runStores(this.#hold, work);
  }

  /** Runs one extension of the lock, and publishes it. */
  extend(lease: { readonly validity: number }, round: () => Promise<void>): Promise<void> {
    const hold = this.#hold;
    if (!extending.hasSubscribers || hold === undefined) return round();
    const { pool, resources, template, fencingToken } = hold;
    const message = { pool, resources, template, fencingToken, hold, validity: undefined as number | undefined };
    return extending.tracePromise(async () => {
      await round();
      message.validity = lease.validity;
    }, message);
  }

  #read(event: LockEvent): void {
    if (event.type === 'contended') this.acquire.contended = this.#since(this.#called);
    else if (event.type === 'acquired') this.#acquired(event);
    else if (event.type === 'refused') this.#refused(event);
    else if (event.type === 'extended' && this.#hold) this.#hold.extensions += 1;
    else if (event.type === 'released') this.#end('released');
    else if (event.type === 'lost') this.#lost(event);
  }

  #acquired({ attempts, path, fencingToken }: Extract<LockEvent, { type: 'acquired' }>): void {
    const { acquire } = this;
    const waited = this.#since(this.#called);
    Object.assign(acquire, {
      outcome: 'acquired',
      waited,
      attempts,
      path,
      fencingToken,
    } satisfies Partial<AcquireMessage>);
    const { pool, resources, template } = acquire;
    this.#hold = { acquire, pool, resources, template, fencingToken, extensions: 0 };
    this.#taken = this.#clock.now();
    holding.start.publish(this.#hold);
    holding.end.publish(this.#hold);
  }

  #refused({ code }: Extract<LockEvent, { type: 'refused' }>): void {
    const outcome = OUTCOMES[code] ?? 'error';
    this.acquire.outcome = outcome === 'held' && this.call.skips === true ? 'skipped' : outcome;
    this.acquire.waited = this.#since(this.#called);
  }

  /** The call needs no lock: what it is for is done. */
  skip(): void {
    this.acquire.outcome = 'skipped';
    this.acquire.waited = this.#since(this.#called);
  }

  #lost({ error }: Extract<LockEvent, { type: 'lost' }>): void {
    const hold = this.#hold;
    if (hold === undefined) return;
    hold.error = error;
    holding.error.publish(hold);
    this.#end(error.reason === 'shutdown' ? 'drained' : 'lost');
  }

  #end(end: NonNullable<HoldMessage['end']>): void {
    const hold = this.#hold;
    if (hold === undefined || this.#taken === undefined) return;
    this.#hold = undefined;
    hold.end = end;
    hold.held = this.#since(this.#taken);
    holding.asyncStart.publish(hold);
    holding.asyncEnd.publish(hold);
  }

  /** Returns the ms since a moment, unlike the events with fractions, because most locks take less than one. */
  #since(moment: Moment): number {
    return elapsed(moment, this.#clock.now());
  }
}

/** Takes a lock by `take`, and publishes what becomes of the call and of its lock. */
export function observed<Result>(
  call: ObservedCall,
  context: Emitting,
  take: (trace: CallTrace) => Promise<Result>,
): Promise<Result> {
  const trace = new CallTrace(call, context);
  return acquiring.tracePromise(() => take(trace), trace.acquire);
}

/** Publishes that a call shares the lock which the code around it holds. */
export function publishNested(call: ObservedCall, lock: Lock): void {
  const { fencingToken } = lock;
  const how = { outcome: 'acquired', waited: 0, attempts: 0, path: 'nested', fencingToken } as const;
  void acquiring.tracePromise(() => Promise.resolve(lock), { ...acquireMessage(call), ...how });
}

function acquireMessage({ pool, resources, options }: ObservedCall): Writable<AcquireMessage> {
  const { label, ttl, waitTimeout } = options;
  return { pool, resources, template: label, options: { ttl, waitTimeout } };
}
