import { AsyncLocalStorage } from 'node:async_hooks';
import type { AbortSignalLike } from '../../engine/abort.js';

/** A call that may share the outcome of another one. */
export interface SharingCall {
  /** The pool and the class of the call: several classes may have inherited the same method. */
  readonly service: object;
  readonly owner?: unknown;
  readonly resources: readonly string[];
  /** True if the outcome is the values of a stream. Other calls could do nothing with that, nor these with what a method returns. */
  readonly isStream?: boolean;
  /** True if the caller has the lock, or a part of it, already. */
  readonly isHolder: boolean;
  /** Aborts when the caller does not want to wait for the lock any more. */
  readonly signal?: AbortSignalLike | undefined;
  /** Called if there is an outcome to share. */
  readonly joined: () => void;
}

/** Runs a method for all calls that join, and does its work inside `within`; `abandoned` aborts when no call waits for the lock any more. */
export type Start<T> = (abandoned: AbortSignalLike | undefined, within: <R>(work: () => R) => R) => Promise<T>;

/** The runs for which the work of a run waits. Async contexts keep this object for long, so it holds no call and no outcome. */
class RunDependencies {
  readonly #waitsFor = new Set<RunDependencies>();

  /** Returns true if the work of `other` would wait for itself by waiting for this run. */
  dependsOn(other: RunDependencies): boolean {
    return this === other || [...this.#waitsFor].some((run) => run.dependsOn(other));
  }

  async wait<T>(run: RunDependencies, outcome: Promise<T>): Promise<T> {
    this.#waitsFor.add(run);
    try {
      return await outcome;
    } finally {
      this.#waitsFor.delete(run);
    }
  }
}

/** The run to whose work the current async context belongs. */
const currentRun = new AsyncLocalStorage<RunDependencies>();

/** One run of a method, and the calls that share its outcome. */
class SharedRun<T> {
  readonly dependencies = new RunDependencies();
  readonly #abandoned = new AbortController();
  readonly #outcome: Promise<T>;
  #callers = 0;
  #hasBegun = false;

  constructor(
    readonly call: SharingCall,
    start: Start<T>,
    private readonly over: () => void,
  ) {
    const within = <R>(work: () => R): R => {
      this.#hasBegun = true;
      return currentRun.run(this.dependencies, work);
    };
    this.#outcome = start(this.#abandoned.signal, within).finally(over);
  }

  /** Returns the outcome. A caller may leave until the work begins; then the work runs to its end for all callers that are left. */
  wait(signal: AbortSignalLike | undefined): Promise<T> {
    this.#callers += 1;
    if (!signal) return this.#outcome;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        if (this.#hasBegun) return;
        reject(signal.reason);
        this.#abandon(signal.reason);
      };
      const stop = (): void => signal.removeEventListener('abort', leave);
      signal.addEventListener('abort', leave);
      this.#outcome.then(resolve, reject).finally(stop);
      if (signal.aborted) leave();
    });
  }

  #abandon(reason: unknown): void {
    this.#callers -= 1;
    if (this.#callers > 0) return;
    // A caller that comes now begins a run of its own.
    this.over();
    this.#abandoned.abort(reason);
  }
}

/** The runs of one method that are under way in this process. */
export class SharedRuns {
  readonly #runs = new Map<string, SharedRun<unknown>[]>();

  /** Returns the outcome of the run that is under way for an equal call, or of a run that `start` begins now. */
  share<T>(call: SharingCall, start: Start<T>): Promise<T> {
    const context = currentRun.getStore();
    const key = JSON.stringify(call.resources);
    const found = this.#find(key, call) as SharedRun<T> | undefined;
    // Such a call could wait for itself, so it does not join but runs on its own, as every nested call does.
    if (call.isHolder || (found && context && found.dependencies.dependsOn(context)))
      return start(call.signal, (work) => work());
    if (found) call.joined();
    const run = found ?? this.#begin(key, call, start);
    const outcome = run.wait(call.signal);
    return context ? context.wait(run.dependencies, outcome) : outcome;
  }

  #find(key: string, { service, owner, isStream }: SharingCall): SharedRun<unknown> | undefined {
    return this.#runs
      .get(key)
      ?.find(({ call }) => call.service === service && call.owner === owner && call.isStream === isStream);
  }

  #begin<T>(key: string, call: SharingCall, start: Start<T>): SharedRun<T> {
    const run: SharedRun<T> = new SharedRun(call, start, () => this.#end(key, run));
    this.#runs.set(key, [...(this.#runs.get(key) ?? []), run]);
    return run;
  }

  #end(key: string, over: object): void {
    const others = (this.#runs.get(key) ?? []).filter((run) => run !== over);
    if (others.length > 0) this.#runs.set(key, others);
    else this.#runs.delete(key);
  }
}
