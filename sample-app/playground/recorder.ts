import type { Answer, Operation, Unknown } from '../../lib/engine/lock-node.js';
import type { Lock } from '../../lib/engine/lock.js';
import type { Process, SimulatedNode, World } from '../../test/model/world.js';
import type { Alarm, Lane, Message, Note, Span, SpanKind, Tone, Trace } from './events.js';

/** What may be taken away from the engine or from its users. */
export type Weakness = 'lock' | 'quarantine' | 'fence';

/** What is done to a world from outside. */
export interface Watched {
  /** The numbers of messages that are lost. */
  readonly dropped?: ReadonlySet<number>;
  /** From when on a rule is missing, ms. */
  readonly without?: ReadonlyMap<Weakness, number>;
}

type Link = Process['links'][number];
type Heard = readonly Answer[] | Unknown;
/** Ways after which a message that never arrives is drawn as lost, and after which it is taken for one. */
const [LOST_AFTER, GIVEN_UP_AFTER] = [1.2, 15];
const SAID: Readonly<Record<string, readonly [string, Tone]>> = {
  granted: ['yes, you have my vote', 'good'],
  held: ['no, it is held', 'wait'],
  quarantined: ['no vote: I may have forgotten a lock', 'wait'],
  refused: ['refused', 'bad'],
  released: ['it is free', 'plain'],
  gone: ['not yours', 'plain'],
  extended: ['extended', 'good'],
  missing: ['I have no such lock', 'bad'],
  taken: ['somebody else has it', 'bad'],
  raised: ['the token is raised', 'plain'],
};
const ASKED: Readonly<Record<string, string>> = {
  acquire: 'may I have the lock?',
  release: 'release',
  extend: 'extend',
  raise: 'raise the token',
  open: 'open the receipt',
  settle: 'keep the receipt',
  peek: 'is there a receipt?',
  clear: 'clear',
};

/** Writes down what happens in a world, from outside: the engine and the simulation do not know of it. */
export class Recorder {
  readonly lanes: Lane[] = [];
  readonly notes: Note[] = [];
  readonly messages: Message[] = [];
  readonly spans: Span[] = [];
  readonly leases: Span[] = [];
  readonly alarms: Alarm[] = [];
  /** The locks of spans, so that an extension is seen. */
  readonly locks = new Map<Span, Pick<Lock, 'validity'>>();
  /** By node: the message that brought these operations, which may go to several nodes as one list. */
  readonly #brought = new Map<string, WeakMap<readonly Operation[], Message>>();

  constructor(
    readonly world: World,
    readonly watched: Watched = {},
  ) {
    for (const node of world.nodes) this.#watchNode(node);
    this.#watchFaults();
  }

  /** The lane of a process. */
  static laneOf(process: Process): string {
    return process.channel;
  }

  isWithout(weakness: Weakness): boolean {
    const from = this.watched.without?.get(weakness);
    return from !== undefined && from <= this.world.time;
  }

  note(lane: string, text: string, tone: Tone = 'plain'): void {
    this.notes.push({ at: this.world.time, lane, text, tone });
  }

  /** Opens a span that ends when somebody sets its end. */
  span(lane: string, kind: SpanKind, label = '', to = Infinity): Span {
    const span = { lane, kind, from: this.world.time, to, label };
    this.spans.push(span);
    return span;
  }

  lease(lane: string, ms: number): Span {
    const lease: Span = { lane, kind: 'holds', from: this.world.time, to: this.world.time + ms, label: '' };
    this.leases.push(lease);
    return lease;
  }

  message(from: string, to: string, label: string, isQuiet = false): Message {
    const { time } = this.world;
    const id = this.messages.length;
    const message: Message = {
      id,
      from,
      to,
      label,
      tone: 'plain',
      sent: time,
      arrived: undefined,
      lost: this.watched.dropped?.has(id) ? time + LOST_AFTER * this.world.terms.delay : undefined,
      isQuiet,
    };
    this.messages.push(message);
    return message;
  }

  /** Watches what a process and the nodes say to each other. */
  watchProcess(process: Process, label: string): void {
    this.lanes.push({ id: process.channel, label, kind: 'app' });
    for (const link of process.links) this.#watchLink(link);
  }

  traceAt(end: number): Trace {
    for (const span of this.spans) span.to = Math.min(span.to, end);
    const { delay } = this.world.terms;
    for (const message of this.messages)
      if (message.arrived === undefined && message.sent + GIVEN_UP_AFTER * delay < end)
        message.lost ??= message.sent + LOST_AFTER * delay;
    return { ...this.#lists, end };
  }

  get #lists(): Omit<Trace, 'end'> {
    const { lanes, notes, messages, spans, leases, alarms } = this;
    return { lanes, notes, messages, spans, leases, alarms };
  }

  #watchLink(link: Link): void {
    const send = link.send.bind(link);
    link.send = (operations, answered) => {
      const label = operations.map(({ kind }) => ASKED[kind] ?? kind)[0] ?? '';
      const asked = this.message(link.process.channel, link.name, label, true);
      this.#brought.get(link.name)?.set(operations, asked);
      let answer: Message | undefined;
      this.#answers.set(asked, (answers) => (answer = this.#answering(link, answers)));
      send(operations, (heard: Heard) => {
        if (answer?.lost !== undefined || (asked.lost !== undefined && !('kind' in heard))) return;
        if (answer !== undefined && !('kind' in heard)) answer.arrived = this.world.time;
        answered(heard);
        if (!('kind' in heard) && heard.some(({ kind }) => kind === 'extended')) this.#extended(link.process.channel);
      });
    };
  }

  /** By the question: makes the message that brings the answers. */
  readonly #answers = new Map<Message, (answers: readonly Answer[]) => void>();

  /** Looks at the leases of a lane after an extension. */
  #extended(lane: string): void {
    for (const [span, { validity }] of this.locks) {
      if (span.lane !== lane || span.to < Infinity) continue;
      const latest = this.leases.findLast((lease) => lease.lane === lane);
      if (validity > (latest?.to ?? 0) - this.world.time + 1) this.lease(lane, validity);
    }
  }

  #answering(link: Link, answers: readonly Answer[]): Message {
    const { kind } = answers[0] ?? { kind: '' };
    const [label, tone] = SAID[kind] ?? [kind, 'plain'];
    const message = this.message(link.name, link.process.channel, label, true);
    message.tone = tone;
    return message;
  }

  #watchNode({ data, index }: SimulatedNode): void {
    const brought = new WeakMap<readonly Operation[], Message>();
    this.#brought.set(`n${index}`, brought);
    const execute = data.execute.bind(data);
    data.execute = (channel, operations) => {
      const asked = brought.get(operations);
      if (asked === undefined) return execute(channel, operations);
      if (asked.lost !== undefined) return [];
      asked.arrived = this.world.time;
      const answers = execute(channel, operations);
      this.#answers.get(asked)?.(answers);
      this.#answers.delete(asked);
      return answers;
    };
    const subscribe = data.subscribe.bind(data);
    data.subscribe = (channel, notify) =>
      subscribe(channel, (handOff) => {
        const message = this.message(`n${index}`, channel, 'it is your turn: you have my vote', true);
        message.tone = 'good';
        if (message.lost !== undefined) return;
        message.arrived = this.world.time + this.world.terms.delay;
        notify(handOff);
      });
    const clear = data.clear.bind(data);
    data.clear = (quarantine) => {
      const ms = this.isWithout('quarantine') ? 0 : quarantine;
      clear(ms);
      const lane = `n${index}`;
      this.note(lane, ms > 0 ? 'is back without its memory: no vote for now' : 'is back without its memory', 'wait');
      if (ms === 0) return;
      this.span(lane, 'quarantine', 'no vote', this.world.time + ms);
      this.leases.push({ lane, kind: 'quarantine', from: this.world.time, to: this.world.time + ms, label: '' });
    };
  }

  #watchFaults(): void {
    const { world } = this;
    const down = world.down.bind(world);
    world.down = (node, ms, forgets) => {
      if (node.state === 'up') this.#fault(`n${node.index}`, 'down', 'stops', ms);
      down(node, ms, forgets);
    };
    const freeze = world.freeze.bind(world);
    world.freeze = (node, ms) => {
      if (node.state === 'up') this.#fault(`n${node.index}`, 'frozen', 'paused', ms);
      freeze(node, ms);
    };
    const pause = world.pause.bind(world);
    world.pause = (process, ms) => {
      if (!process.isDead) this.#fault(process.channel, 'frozen', 'paused', ms);
      pause(process, ms);
    };
    const kill = world.kill.bind(world);
    world.kill = (process, noticedAfter) => {
      if (!process.isDead) this.#fault(process.channel, 'down', 'crashes', Infinity);
      kill(process, noticedAfter);
    };
  }

  #fault(lane: string, kind: 'down' | 'frozen', text: string, ms: number): void {
    this.note(lane, text, 'bad');
    this.span(lane, kind, kind === 'down' ? 'stopped' : 'paused', this.world.time + ms);
  }
}
