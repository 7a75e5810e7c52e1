import { AsyncLocalStorage } from 'node:async_hooks';

/** A call that may share the outcome of another one. */
export interface JoinCall {
  /** The pool and the class of the call: several classes may have inherited the same method. */
  readonly locker: object;
  readonly owner: unknown;
  readonly resources: readonly string[];
  /** True where the caller has the lock, or a part of it, already. */
  readonly isHolder: boolean;
  /** Aborts when the caller does not want to wait for the lock any more. */
  readonly signal?: AbortSignal | undefined;
  /** Called if there is an outcome to share. */
  readonly joined: () => void;
}

/** Runs a method for all calls that join, and does its work inside `within`; `abandoned` aborts when no call waits for the lock any more. */
export type Lead<T> = (abandoned: AbortSignal | undefined, within: <R>(work: () => R) => R) => Promise<T>;

/** The runs for which the work of a run waits. */
class Errand {
  readonly #waitsFor = new Set<Errand>();

  /** Returns true if the work of `other` would wait for itself by waiting for this run. */
  dependsOn(other: Errand): boolean {
    return this === other || [...this.#waitsFor].some((errand) => errand.dependsOn(other));
  }

  async wait<T>(errand: Errand, outcome: Promise<T>): Promise<T> {
    this.#waitsFor.add(errand);
    try {
      return await outcome;
    } finally {
      this.#waitsFor.delete(errand);
    }
  }
}

/** The run to whose work the current async context belongs. */
const errands = new AsyncLocalStorage<Errand>();

/** One run of a method, and the calls that share its outcome. */
class Joint<T> {
  readonly errand = new Errand();
  readonly #deserted = new AbortController();
  readonly #outcome: Promise<T>;
  #callers = 0;
  #hasBegun = false;

  constructor(
    readonly call: JoinCall,
    lead: Lead<T>,
    private readonly over: () => void,
  ) {
    const within = <R>(work: () => R): R => {
      this.#hasBegun = true;
      return errands.run(this.errand, work);
    };
    this.#outcome = lead(this.#deserted.signal, within).finally(over);
  }

  /** Returns the outcome. A caller may leave until the work begins; then the work runs to its end for all callers that are left. */
  wait(signal: AbortSignal | undefined): Promise<T> {
    this.#callers += 1;
    if (!signal) return this.#outcome;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        if (this.#hasBegun) return;
        reject(signal.reason as Error);
        this.#abandon(signal.reason);
      };
      const stop = (): void => signal.removeEventListener('abort', leave);
      signal.addEventListener('abort', leave, { once: true });
      this.#outcome.then(resolve, reject).finally(stop);
      if (signal.aborted) leave();
    });
  }

  #abandon(reason: unknown): void {
    this.#callers -= 1;
    if (this.#callers > 0) return;
    // A caller that comes now begins a run of its own.
    this.over();
    this.#deserted.abort(reason);
  }
}

/** The runs of one method that are under way in this process. */
export class Joins {
  readonly #joints = new Map<string, Joint<unknown>[]>();

  /** Returns the outcome of the run that is under way for an equal call, or of a run that `lead` begins now. */
  share<T>(call: JoinCall, lead: Lead<T>): Promise<T> {
    const context = errands.getStore();
    const key = JSON.stringify(call.resources);
    const found = this.#find(key, call) as Joint<T> | undefined;
    // Such a call could wait for itself, so it does not join but runs on its own, as every nested call does.
    if (call.isHolder || (found && context && found.errand.dependsOn(context)))
      return lead(call.signal, (work) => work());
    if (found) call.joined();
    const joint = found ?? this.#begin(key, call, lead);
    const outcome = joint.wait(call.signal);
    return context ? context.wait(joint.errand, outcome) : outcome;
  }

  #find(key: string, { locker, owner }: JoinCall): Joint<unknown> | undefined {
    return this.#joints.get(key)?.find(({ call }) => call.locker === locker && call.owner === owner);
  }

  #begin<T>(key: string, call: JoinCall, lead: Lead<T>): Joint<T> {
    const joint: Joint<T> = new Joint(call, lead, () => this.#end(key, joint));
    this.#joints.set(key, [...(this.#joints.get(key) ?? []), joint]);
    return joint;
  }

  #end(key: string, over: object): void {
    const others = (this.#joints.get(key) ?? []).filter((joint) => joint !== over);
    if (others.length > 0) this.#joints.set(key, others);
    else this.#joints.delete(key);
  }
}
