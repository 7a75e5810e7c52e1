import type {
  Answer,
  LockNode,
  NodeEvent,
  NodeListener,
  Operation,
  ProbeAnswer,
  Unknown,
} from '../../lib/engine/lock-node.js';
import { MemoryNode, type MemoryData } from '../../lib/memory/memory-node.js';
import type { VirtualClock } from './virtual-clock.js';

export type Verb = Operation['kind'] | 'probe';

const LOCKS: readonly Verb[] = ['acquire', 'raise', 'extend', 'release', 'probe'];
const VERBS: readonly Verb[] = [...LOCKS, 'open', 'settle', 'peek', 'clear', 'forget'];

export type Fault =
  /** The batch is lost on its way; no answer. */
  | 'silent'
  /** The batch is run; no answer. */
  | 'lost reply'
  /** The connection is known to be down: nothing is sent. */
  | 'down'
  /** The connection breaks while the batch is on its way, and the node never sees it. */
  | 'broken'
  /** The connection breaks, and the node sees the batch after so many ms, also behind what was sent later. */
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

type Answered = (answers: readonly Answer[] | Unknown) => void;

/** A node in memory with faults that the test sets, and a record of what it was asked. Each client has a connection of its own. */
export class ScriptedNode {
  readonly calls: Call[] = [];
  /** What every client waits for when it opens the node. */
  opening: (() => Promise<void>) | undefined;
  /** Answers probes in place of the node. */
  answerProbe: LockNode['probe'] | undefined;
  /** What goes wrong from now on with batches that have such an operation, and with hand-off messages. */
  faults: Partial<Record<Verb | 'grant', Fault>> = {};
  readonly #listeners = new Set<NodeListener>();
  #onTheWay = 0;
  #arrival = 0;
  #frozen: (() => void)[] | undefined;

  constructor(
    readonly name: string,
    readonly data: MemoryData,
    readonly clock: VirtualClock,
    private readonly maxTtl: number,
  ) {}

  /** A connection for one client; `channel` is the private one of the client, and `broken` what goes wrong with this connection only. */
  connect(channel: string, broken?: Fault): LockNode {
    const { name, data, clock, maxTtl } = this;
    const node = new MemoryNode(name, clock, { channel, data, maxTtl });
    return {
      name,
      send: (operations, answered) => this.#ask(node, operations, answered, broken),
      probe: (answered) => (this.answerProbe ?? ((done) => this.#probe(node, done)))(answered),
      open: async (listener) => {
        this.#listeners.add(listener);
        await this.opening?.();
        return node.open({ ...bound(listener), handedOff: (message) => this.#tell(() => listener.handedOff(message)) });
      },
      close: () => node.close(),
    };
  }

  emit(event: NodeEvent): void {
    for (const listener of this.#listeners) listener.event(event);
  }

  /** The same fault for every verb; none without an argument. */
  fail(fault?: Fault): void {
    this.faults = fault ? Object.fromEntries(VERBS.map((verb) => [verb, fault])) : {};
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

  #tell(tell: () => void): void {
    const { grant } = this.faults;
    if (grant === undefined) tell();
    else if (typeof grant === 'object' && 'slow' in grant) this.clock.schedule(grant.slow, tell);
  }

  #ask(node: LockNode, operations: readonly Operation[], answered: Answered, broken?: Fault): void {
    const at = this.clock.now().monotonic;
    for (const operation of operations) {
      const { kind: verb, value, ttl }: { kind: Verb; value?: string; ttl?: number } = operation;
      this.calls.push({ verb, at, value, ttl });
    }
    const fault = broken ?? operations.map(({ kind }) => this.faults[kind]).find((one) => one !== undefined);
    this.#send(fault, (done) => node.send(operations, done), answered);
  }

  #probe(node: LockNode, answered: (answer: ProbeAnswer) => void): void {
    this.calls.push({ verb: 'probe', at: this.clock.now().monotonic, value: undefined, ttl: undefined });
    this.#send<ProbeAnswer>(this.faults.probe, (done) => node.probe(done), answered);
  }

  #send<A>(
    fault: Fault | undefined,
    run: (answered: (answer: A) => void) => void,
    answered: (answer: A) => void,
  ): void {
    if (fault === 'silent') return;
    if (fault === 'down' || fault === 'broken') {
      const unknown = { kind: 'unknown', reason: fault, sent: fault === 'broken' } as A;
      return queueMicrotask(() => answered(unknown));
    }
    if (typeof fault === 'object' && 'zombie' in fault) {
      this.clock.schedule(fault.zombie, () => run(() => undefined));
      return queueMicrotask(() => answered({ kind: 'unknown', reason: 'broken', sent: true } as A));
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

function bound(listener: NodeListener): NodeListener {
  return {
    event: (event) => listener.event(event),
    identified: () => listener.identified(),
    handedOff: (message) => listener.handedOff(message),
    dated: (micros, asked, heard) => listener.dated(micros, asked, heard),
  };
}
