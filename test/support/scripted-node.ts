import { Claim, type Grant } from '../../lib/core/port/claim.js';
import type {
  AcquireAnswer,
  ExtendAnswer,
  LockNode,
  NodeEvent,
  ProbeAnswer,
  Question,
  RaiseAnswer,
  ReleaseAnswer,
  Unknown,
  YieldAnswer,
} from '../../lib/core/port/lock-node.js';
import type { NoteListener } from '../../lib/core/port/process-note.js';
import type { VirtualClock } from './virtual-clock.js';

export type Verb = 'acquire' | 'yield' | 'raise' | 'extend' | 'release' | 'probe';

export type Fault =
  /** The command is lost on its way; no answer. */
  | 'silent'
  /** The command is run; no answer. */
  | 'lost reply'
  /** The connection is known to be down: nothing is sent. */
  | 'down'
  /** The connection breaks while the command is on its way, and the node never sees it. */
  | 'broken'
  /** The connection breaks, and the node sees the command after so many ms, also behind what was sent later. */
  | { readonly zombie: number }
  /** Arrives after so many ms, is run then, and answered at once; what is sent behind it waits behind it. */
  | { readonly late: number }
  /** Is run at once and answered after so many ms. */
  | { readonly slow: number };

export interface Call {
  readonly verb: Verb;
  /** Ms on the virtual clock. */
  readonly at: number;
  readonly value: string | undefined;
  readonly ttl: number | undefined;
}

type Run<A> = (answered: (answer: A) => void) => void;

/** A node with faults that the test sets, and a record of what it was asked. */
export class ScriptedNode implements LockNode {
  readonly calls: Call[] = [];
  /** What goes wrong from now on, by verb. */
  faults: Partial<Record<Verb | 'grant', Fault>> = {};
  #listener: (event: NodeEvent) => void = () => undefined;
  #onTheWay = 0;
  #arrival = 0;
  #frozen: (() => void)[] | undefined;

  constructor(
    private readonly node: LockNode,
    private readonly clock: VirtualClock,
  ) {}

  get name(): string {
    return this.node.name;
  }

  get runId(): string | undefined {
    return this.node.runId;
  }

  acquire(question: Question<AcquireAnswer>, nodeIndex: number): void {
    this.#ask('acquire', question, nodeIndex);
  }

  yield(question: Question<YieldAnswer>, nodeIndex: number): void {
    this.#ask('yield', question, nodeIndex);
  }

  raise(question: Question<RaiseAnswer>, nodeIndex: number): void {
    this.#ask('raise', question, nodeIndex);
  }

  extend(question: Question<ExtendAnswer>, nodeIndex: number): void {
    this.#ask('extend', question, nodeIndex);
  }

  release(question: Question<ReleaseAnswer>, nodeIndex: number): void {
    this.#ask('release', question, nodeIndex);
  }

  probe(answered: (answer: ProbeAnswer) => void): void {
    this.#note('probe');
    this.#send<ProbeAnswer>('probe', (done) => this.node.probe(done), answered);
  }

  noteOf(mark: string, answered: NoteListener): void {
    this.node.noteOf(mark, answered);
  }

  open(listener: (event: NodeEvent) => void): Promise<void> {
    this.#listener = listener;
    return this.node.open(listener);
  }

  close(): Promise<void> {
    return this.node.close();
  }

  emit(event: NodeEvent): void {
    this.#listener(event);
  }

  /** The same fault for every verb; none without an argument. */
  fail(fault?: Fault): void {
    this.faults = fault
      ? { acquire: fault, yield: fault, raise: fault, extend: fault, release: fault, probe: fault }
      : {};
  }

  /** From now on commands arrive and wait. */
  freeze(): void {
    this.#frozen = [];
  }

  /** Runs what waited, in order. */
  thaw(): void {
    const waiting = this.#frozen ?? [];
    this.#frozen = undefined;
    for (const arrive of waiting) arrive();
  }

  callsOf(verb: Verb): Call[] {
    return this.calls.filter((call) => call.verb === verb);
  }

  #ask<A>(verb: Exclude<Verb, 'probe'>, question: Question<A>, nodeIndex: number): void {
    this.#note(verb, question);
    const { ttl, proposal, tokens, mayShorten, isFollowed } = question;
    const claim = this.#withFaultyGrants(question.claim);
    const asked = { claim, ttl, proposal, tokens, mayShorten, isFollowed };
    const answered = (answer: A | Unknown): void => question.answer(nodeIndex, answer);
    this.#send<A>(
      verb,
      (done) => this.node[verb]({ ...asked, answer: (_nodeIndex: number, answer: unknown) => done(answer as A) }, 0),
      answered,
    );
  }

  /** The node tells the claim of a grant by way of this one. */
  #withFaultyGrants(claim: Claim): Claim {
    const { place } = claim;
    if (!place) return claim;
    const granted = (node: string, grant: Grant): void => {
      const fault = this.faults.grant;
      if (fault === undefined) place.granted(node, grant);
      else if (typeof fault === 'object' && 'slow' in fault) {
        this.clock.schedule(fault.slow, () => place.granted(node, grant));
      }
    };
    const { arrived, ttl } = place;
    return new Claim(claim.resources, claim.value, { arrived, ttl, isWaiting: true, granted });
  }

  #note(verb: Verb, question?: Question<never>): void {
    this.calls.push({ verb, at: this.clock.now().monotonic, value: question?.claim.value, ttl: question?.ttl });
  }

  #send<A>(verb: Verb, run: Run<A>, answered: (answer: A | Unknown) => void): void {
    const fault = this.faults[verb];
    if (fault === 'silent') return;
    if (fault === 'down' || fault === 'broken') {
      return queueMicrotask(() => answered({ kind: 'unknown', reason: fault, sent: fault === 'broken' }));
    }
    if (typeof fault === 'object' && 'zombie' in fault) {
      this.clock.schedule(fault.zombie, () => run(() => undefined));
      return queueMicrotask(() => answered({ kind: 'unknown', reason: 'broken', sent: true }));
    }
    this.#travel(typeof fault === 'object' && 'late' in fault ? fault.late : 0, () =>
      run((answer) => {
        if (fault === 'lost reply') return;
        if (typeof fault === 'object' && 'slow' in fault) this.clock.schedule(fault.slow, () => answered(answer));
        else answered(answer);
      }),
    );
  }

  /** Commands arrive in the order of the calls. */
  #travel(delay: number, arrive: () => void): void {
    const now = this.clock.now().monotonic;
    this.#arrival = Math.max(this.#arrival, now + delay);
    if (this.#onTheWay === 0 && delay === 0) return this.#arrive(arrive);
    this.#onTheWay += 1;
    this.clock.schedule(this.#arrival - now, () => {
      this.#onTheWay -= 1;
      this.#arrive(arrive);
    });
  }

  #arrive(run: () => void): void {
    if (this.#frozen) this.#frozen.push(run);
    else run();
  }
}
