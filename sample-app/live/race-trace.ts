import type { Alarm, Lane, Message, Note, Span, SpanKind, Tone, Trace } from '../playground/events.js';
import type { Played } from '../playground/scenes/scene.js';
import type { LiveEvent, NodeState, Outcome, ReplicaEvent, Way } from './live-events.js';

/** Who takes part in a race. */
export interface Stage {
  readonly replicas: number;
  readonly nodes: readonly NodeState[];
  /** Ms that a lease lasts. */
  readonly ttl: number;
}

type Race = Extract<LiveEvent, { type: 'race' }>;
type Status = Extract<LiveEvent, { type: 'status' }>;

/** Ms: equal answers that are closer to each other become one note. */
const AT_ONCE = 10;
const CLIENTS = 'clients';
const STORE = 'store';

/** Collects the events of one race, and makes a trace of them. */
export class RaceTrace {
  readonly #notes: Note[] = [];
  readonly #messages: Message[] = [];
  readonly #spans: Span[] = [];
  readonly #leases: Span[] = [];
  readonly #alarms: Alarm[] = [];
  /** What ends when a lock does, by its token: the bar and the ring. */
  readonly #held = new Map<number, readonly Span[]>();
  /** The latest state of each node, by its lane. */
  readonly #states = new Map<string, Span>();
  readonly #inserted = new Map<string, number>();
  #lastAnswer: { at: number; key: string; count: number } | undefined;
  #end = 1;
  #outcome: Outcome | undefined;

  constructor(
    private readonly race: Race,
    private readonly stage: Stage,
  ) {
    const { count, path } = race;
    const { replicas, nodes } = stage;
    for (let replica = 0; replica < replicas; replica += 1) {
      const share = Math.ceil((count - replica) / replicas);
      if (share > 0) this.#sends(replica, `${share} × POST ${path}`);
    }
    this.#see(nodes, race.at);
  }

  get way(): Way {
    return this.race.way;
  }

  /** The states of the nodes have changed. */
  #see(nodes: readonly NodeState[], at: number): void {
    nodes.forEach(({ state }, index) => {
      if (state === 'down') this.#state(index, { kind: 'down', label: 'stopped', at });
      else if (state === 'frozen') this.#state(index, { kind: 'frozen', label: 'paused', at });
      else if (state === 'slow') this.#state(index, { kind: 'works', label: 'slow', at });
      else this.#state(index, { at });
    });
  }

  /** What happens to nodes after the race belongs to the next one. */
  add(event: Exclude<LiveEvent, Race>): void {
    const isOfNodes = event.type === 'nodes' || event.type === 'status';
    if (isOfNodes && this.#outcome !== undefined) return;
    const at = event.at - this.race.at;
    if (event.type === 'answered') this.#answered(at, event);
    else if (event.type === 'inserted') this.#insert(at, event.table);
    else if (event.type === 'outcome') this.#outcome = event;
    else if (event.type === 'nodes') this.#see(event.nodes, event.at);
    else if (event.type === 'status') return this.#quarantine(event);
    else if (event.resources?.some((name) => name.includes(this.race.email))) this.#locked(at, event);
    else return;
    this.#end = Math.max(this.#end, at);
  }

  get played(): Played {
    const { count } = this.race;
    const lanes: Lane[] = [
      { id: CLIENTS, label: count === 1 ? '1 client' : `${count} clients`, kind: 'person' },
      ...Array.from({ length: this.stage.replicas }, (_, index): Lane => {
        return { id: replicaLane(index), label: `Replica ${index + 1}`, kind: 'app' };
      }),
      { id: STORE, label: 'Postgres', kind: 'store' },
      // Nodes that all vote are not worth a line each.
      ...(this.#spans.some(({ lane }) => lane.startsWith('node-')) ? this.stage.nodes : []).map(
        ({ name }, index): Lane => ({ id: nodeLane(index), label: name, kind: 'node' }),
      ),
    ];
    const end = this.#end + Math.max(5, this.#end / 20);
    const until = <T extends { to: number }>(span: T): T => (span.to === Infinity ? { ...span, to: end } : span);
    const trace: Trace = {
      lanes,
      notes: this.#notes,
      messages: this.#messages,
      // Who waits is drawn below who has the lock.
      spans: this.#spans.map(until).sort((one, other) => Number(other.kind === 'waits') - Number(one.kind === 'waits')),
      leases: this.#leases,
      alarms: this.#alarms.map(until),
      end,
    };
    return { trace, ...verdictOf(this.#outcome) };
  }

  #sends(replica: number, label: string): void {
    const message = { from: CLIENTS, to: replicaLane(replica), label, tone: 'plain', sent: 0, isQuiet: false } as const;
    this.#messages.push({ ...message, id: replica, arrived: undefined, lost: undefined });
  }

  /** The replica has begun with its requests. */
  #arrived(replica: number, at: number): void {
    const message = this.#messages.find(({ id }) => id === replica);
    if (message !== undefined) message.arrived = Math.min(message.arrived ?? Infinity, Math.max(0.5, at));
  }

  #answered(at: number, { replica, status }: Extract<LiveEvent, { type: 'answered' }>): void {
    this.#arrived(replica, at);
    if (this.race.way === 'unsafe') this.#span(replicaLane(replica), 'works', { from: 0, to: at, label: 'runs' });
    const key = `${replica} ${status}`;
    const last = this.#lastAnswer;
    const isMore = last?.key === key && at - last.at < AT_ONCE;
    if (isMore)
      this.#notes.splice(
        this.#notes.findLastIndex(({ lane }) => lane === CLIENTS),
        1,
      );
    const count = isMore ? last.count + 1 : 1;
    this.#lastAnswer = { at, key, count };
    const tone: Tone = status === 201 ? 'good' : status === 0 ? 'bad' : 'wait';
    const text = `${count} × ${status === 0 ? 'no answer' : status} from Replica ${replica + 1}`;
    this.#notes.push({ at, lane: CLIENTS, text, tone });
  }

  #insert(at: number, table: string): void {
    const count = (this.#inserted.get(table) ?? 0) + 1;
    this.#inserted.set(table, count);
    const name = table.replace(/e?s$/, '');
    this.#notes.push({ at, lane: STORE, text: `${name} ${count}`, tone: count === 1 ? 'good' : 'bad' });
    if (table === 'users' && count === 2)
      this.#alarms.push({ from: at, to: Infinity, text: 'More than one user for one address' });
  }

  #locked(at: number, event: ReplicaEvent): void {
    const { replica, waited = 0, code, fencingToken = 0 } = event;
    const lane = replicaLane(replica);
    this.#arrived(replica, at - waited);
    if (event.type === 'acquired') {
      if (event.path !== 'free') this.#span(lane, 'waits', { from: at - waited, to: at, label: 'waits' });
      const held = this.#span(lane, 'holds', { from: at, to: Infinity, label: 'has the lock' });
      const lease = { ...held, to: at + this.stage.ttl };
      this.#leases.push(lease);
      this.#held.set(fencingToken, [held, lease]);
      this.#notes.push({ at, lane, text: `takes the lock, token ${fencingToken}`, tone: 'good', isInTableOnly: true });
    } else if (event.type === 'refused') {
      this.#span(lane, 'waits', { from: at - waited, to: at, label: 'waits' });
      this.#notes.push({ at, lane, text: `gets no lock: ${code}`, tone: 'wait', isInTableOnly: true });
    } else if (event.type === 'replayed') {
      this.#notes.push({ at, lane, text: 'replays the reply of the first request', tone: 'good' });
    } else if (event.type === 'released' || event.type === 'lost') {
      for (const span of this.#held.get(fencingToken) ?? []) span.to = at;
      if (event.type === 'lost') this.#notes.push({ at, lane, text: 'loses the lock', tone: 'bad' });
      else this.#notes.push({ at, lane, text: 'releases the lock', tone: 'plain', isInTableOnly: true });
    }
  }

  /** New nodes do not vote for a while. */
  #quarantine({ at, nodes }: Status): void {
    nodes.forEach(({ votesIn }, index) => {
      if (votesIn === undefined || this.#states.get(nodeLane(index))?.kind === 'down') return;
      this.#state(index, { kind: 'quarantine', label: 'no vote', at, until: at + votesIn });
    });
  }

  #state(
    index: number,
    now: { readonly at: number; readonly kind?: SpanKind; readonly label?: string; readonly until?: number },
  ): void {
    const lane = nodeLane(index);
    const at = Math.max(0, now.at - this.race.at);
    const to = now.until === undefined ? Infinity : now.until - this.race.at;
    const last = this.#states.get(lane);
    const isSame = last?.kind === now.kind && last?.label === now.label;
    if (last !== undefined && isSame && at <= last.to) last.to = to;
    if (isSame) return;
    if (last !== undefined) last.to = Math.min(last.to, at);
    this.#states.delete(lane);
    if (now.kind === undefined) return;
    this.#states.set(lane, this.#span(lane, now.kind, { from: at, to, label: now.label ?? '' }));
    this.#notes.push({
      at,
      lane,
      text: now.label ?? '',
      tone: now.kind === 'works' ? 'wait' : 'bad',
      isInTableOnly: true,
    });
  }

  #span(lane: string, kind: SpanKind, rest: { from: number; to: number; label: string }): Span {
    const span: Span = { lane, kind, ...rest };
    this.#spans.push(span);
    return span;
  }
}

const replicaLane = (index: number): string => `replica-${index}`;
const nodeLane = (index: number): string => `node-${index}`;

/** What came of a race, in words. */
function verdictOf(outcome: Outcome | undefined): { readonly verdict: string; readonly tone: Tone } {
  if (outcome === undefined) return { verdict: 'The requests are on their way', tone: 'plain' };
  const { users, bonuses, answers } = outcome;
  const counts = Object.entries(answers).map(
    ([status, count]) => `${count} × ${status === '0' ? 'no answer' : status}`,
  );
  const verdict = `${many(users, 'user')} created, ${many(bonuses, 'bonus')} paid: ${counts.join(', ')}`;
  return { verdict, tone: users > 1 || bonuses > 1 ? 'bad' : users === 1 ? 'good' : 'wait' };
}

function many(count: number, name: string): string {
  if (count === 1) return `1 ${name}`;
  return `${count} ${name === 'bonus' ? 'bonuses' : `${name}s`}`;
}
