import type { Redis } from 'ioredis';
import { type Clock, type Moment, withDeadline } from '../engine/clock.js';
import type {
  Answer,
  HandOff,
  LockNode,
  NodeListener,
  NodeRoom,
  Operation,
  ProbeAnswer,
  Refused,
  ReleaseOperation,
  SettleOperation,
  Unknown,
} from '../engine/lock-node.js';
import { BusyRetry } from './connection/busy-retry.js';
import { NodeConnection } from './connection/connection.js';
import type { NodeAddress } from './connection/settings/node-address.js';
import { NonsenseError } from './connection/wire/node-text.js';
import { type Reply, WireCommand } from './connection/wire/wire-command.js';
import { NodeTrust, Strays } from './trust.js';
import { advised, withoutKeys } from './advice.js';
import { type BatchEncoder, type Decoded, ASKS_WHETHER_IT_VOTES } from './codec.js';
import { PendingReleases } from './pending-releases.js';
import { roomOf } from './server-info.js';
import { RESERVED } from '../engine/resources.js';

type Failure = Extract<Reply, { ok: false }>;

/** Ms to wait at the start for what a node says about itself. */
const KNOWN_WITHIN = 1_000;
/** Characters of a message at most: a value, two numbers and a key. */
const LONGEST_MESSAGE = 4_096;
/** What a probe asks for: never the name of a lock, since no resource may end like this. */
const PROBE = { begin: '~probe:', end: RESERVED.node } as const;
/** Ms that the vote of a probe lasts on a node that refuses its release. */
const PROBE_TTL = 100;
/** Ms between two connections that are made only to ask which server the node is. */
const ASK_AGAIN_AFTER = 60_000;
/** A message may have been on its way for as long as one likes. */
const LONG_AGO: Moment = { monotonic: -Infinity, wall: -Infinity };
const NOBODY: NodeListener = {
  event: () => undefined,
  identified: () => undefined,
  handedOff: () => undefined,
  dated: () => undefined,
};

/** A Redis or Valkey master as a `LockNode`, over one connection of its own. */
export class RedisNode implements LockNode {
  readonly name: string;
  readonly #connection: NodeConnection;
  readonly #trust: NodeTrust;
  readonly #pending: PendingReleases;
  readonly #subscribing: BusyRetry;
  readonly #strays: Strays;
  #listener = NOBODY;
  #redis: Redis | undefined;
  /** Resolves when the server of the present connection has said which one it is, and has the script. */
  #known: Promise<void> = Promise.resolve();
  /** Why the node cannot send messages, as was reported; undefined if it can. */
  #deafness: string | undefined;
  /** How many calls were sent. */
  #sent = 0;
  /** Ms on the monotonic clock: when a connection was last closed to find out which server it leads to. */
  #askedAgainAt = -Infinity;

  constructor(
    address: NodeAddress,
    private readonly encoder: BatchEncoder,
    private readonly clock: Clock,
  ) {
    this.name = address.name;
    this.#trust = new NodeTrust(encoder.options, clock, (event) => this.#listener.event(event));
    this.#pending = new PendingReleases(clock, (operations, answered) => this.#sendPending(operations, answered));
    this.#subscribing = new BusyRetry(clock);
    this.#strays = new Strays(clock);
    const listener = { ready: (redis: Redis) => (this.#known = this.#ready(redis)), usable: () => this.#usable() };
    this.#connection = new NodeConnection(address, listener, clock);
  }

  get runId(): string | undefined {
    return this.#trust.runId;
  }

  send(operations: readonly Operation[], answered: (answers: readonly Answer[] | Unknown) => void): void {
    const reason = this.#obstacle;
    if (reason === undefined) return this.#send(operations, answered);
    void Promise.resolve().then(() => this.#settle(operations, { kind: 'unknown', reason, sent: false }, answered));
  }

  probe(answered: (answer: ProbeAnswer) => void, date = this.clock.now().wall * 1_000): void {
    const reason = this.#connection.obstacle();
    if (reason !== undefined)
      return void Promise.resolve().then(() => answered({ kind: 'unknown', reason, sent: false }));
    if (this.#trust.obstacle !== undefined) return answered({ kind: 'excluded', reason: this.#trust.obstacle });
    // A vote that is released in the same call: whatever makes a node refuse votes makes it refuse this.
    const { maxTtl, channel } = this.encoder.options;
    const probe = { resource: `${PROBE.begin}${channel}${PROBE.end}`, value: 'probe' };
    const vote = {
      ...probe,
      kind: 'acquire',
      ttl: Math.min(PROBE_TTL, maxTtl),
      proposal: Math.floor(date),
      count: 1,
    } as const;
    const release = { ...probe, kind: 'release', ttl: 0, what: 'stay' } as const;
    this.#send([vote, release], (answers) =>
      answered(Array.isArray(answers) ? probed(answers as readonly Answer[]) : (answers as Unknown)),
    );
  }

  exclude(reason: string | undefined): void {
    this.#trust.exclude(reason);
  }

  room(told: (room: NodeRoom) => void): void {
    if (this.#redis === undefined || this.#obstacle !== undefined) return;
    // A node that does not say has no limit as far as we know.
    void roomOf(this.#redis).then(told, () => undefined);
  }

  async open(listener: NodeListener): Promise<void> {
    this.#listener = listener;
    await this.#connection.open((event) => listener.event(event));
    await withDeadline(KNOWN_WITHIN, this.#known, this.clock);
  }

  close(): Promise<void> {
    this.#listener = NOBODY;
    for (const part of [this.#pending, this.#trust, this.#subscribing]) part.close();
    return this.#connection.close();
  }

  get #obstacle(): string | undefined {
    return this.#connection.obstacle() ?? this.#trust.obstacle;
  }

  // ------------------------------------------------------------------------------------------------------------ questions

  #send(operations: readonly Operation[], answered: (answers: readonly Answer[] | Unknown) => void): void {
    const { distrust, run } = this.#trust;
    const sent = this.clock.now();
    const wire = this.encoder.wire(operations, run, distrust);
    const number = (this.#sent += 1);
    this.#connection.send('evalsha', wire, (reply) => {
      if (!reply.ok && reply.reason.startsWith('NOSCRIPT') && number === this.#sent)
        return this.#sendText(operations, answered);
      if (!reply.ok) return this.#settle(operations, this.#failed(reply, operations), answered);
      this.#settle(operations, this.#decode(reply.value, operations, sent), answered);
      if (distrust !== undefined) this.#trust.told();
    });
  }

  /** Sends the script with the operations again, because somebody has emptied the node's scripts. Only for the latest call, to keep the order. */
  #sendText(operations: readonly Operation[], answered: (answers: readonly Answer[] | Unknown) => void): void {
    const sent = this.clock.now();
    this.#sent += 1;
    this.#connection.send('eval', this.encoder.text(operations), (reply) => {
      if (reply.ok) this.#settle(operations, this.#decode(reply.value, operations, sent), answered);
      else this.#settle(operations, this.#failed(reply, operations), answered);
    });
  }

  #decode(value: unknown, operations: readonly Operation[], sent: Moment): readonly Answer[] {
    const { clock, answers, isUsual } = this.encoder.decode(value, operations);
    this.#heard(clock, sent);
    if (isUsual && this.#trust.isCalm) return answers;
    return answers.map((answer, index) => this.#counted(operations[index]!, answer));
  }

  /** Takes the clock of the node, ms. */
  #heard(clock: number | undefined, sent: Moment): void {
    if (clock === undefined) return;
    const now = this.clock.now();
    this.#trust.heard(clock, sent, now);
    this.#listener.dated(clock * 1_000, sent.monotonic, now.monotonic);
  }

  /** Returns what an answer counts as. A vote that does not count goes back. */
  #counted(operation: Operation, answer: Answer): Answer {
    const counted = this.#trust.count(operation, answer);
    if (operation.kind === 'acquire' && answer.kind === 'granted' && counted.kind !== 'granted')
      this.#giveBack(operation);
    // Its user may run INFO since a moment ago: a new connection finds out which server it is.
    if (answer.kind === 'granted' && this.#trust.isUnknown) this.#askAgainWhichServer();
    return counted;
  }

  #askAgainWhichServer(): void {
    const now = this.clock.now().monotonic;
    if (now - this.#askedAgainAt < ASK_AGAIN_AFTER) return;
    this.#askedAgainAt = now;
    this.#redis?.disconnect(true);
  }

  #settle(
    operations: readonly Operation[],
    answers: readonly Answer[] | Unknown,
    answered: (answers: readonly Answer[] | Unknown) => void,
  ): void {
    const list = Array.isArray(answers) ? (answers as readonly Answer[]) : undefined;
    operations.forEach((operation, index) => {
      if (operation.kind !== 'release') return;
      const { kind } = list?.[index] ?? (answers as Unknown);
      if (kind === 'released' || kind === 'gone') this.#pending.done(operation);
      else this.#pending.add(operation, list === undefined ? settlingOf(operation, operations) : undefined);
    });
    answered(answers);
  }

  #failed({ reason, sent, refused }: Failure, operations: readonly Operation[]): readonly Answer[] | Unknown {
    // Nothing of this list was done.
    const isUnknown = reason.startsWith('NOSCRIPT');
    if (isUnknown && this.#redis) void this.#loadScript(this.#redis);
    if (isUnknown || !refused) return { kind: 'unknown', reason, sent: sent && !isUnknown };
    const refusal: Answer = { kind: 'refused', reason: withoutKeys(reason) };
    return operations.map((operation) => this.#counted(operation, refusal));
  }

  #sendPending(operations: readonly Operation[], answered: () => void): boolean {
    if (this.#obstacle !== undefined) return false;
    this.#send(operations, answered);
    return true;
  }

  // ----------------------------------------------------------------------------------------------------------- connection

  /** Subscribes first; then the node gets the script, and says which server it is. */
  async #ready(redis: Redis): Promise<void> {
    if (this.#redis !== redis) redis.on('message', (_channel: string, text: string) => this.#received(redis, text));
    this.#redis = redis;
    this.#subscribing.end('there is a new connection');
    if (redis.condition?.protocol === 3) {
      this.#subscribing
        .ask(() => redis.subscribe(this.encoder.options.channel))
        .then(() => (this.#deafness = undefined))
        .catch((error: Error) => error.name === 'ReplyError' && this.#cannotHear(error.message));
    } else this.#cannotHear('the node does not speak RESP3, which Redis has from version 6 on');
    const sent = this.clock.now();
    // What stands on the node is read before the script changes it.
    // At once: a server that other addresses lead to as well must not vote twice.
    const examined = this.#trust.examine(redis).then(() => this.#listener.identified());
    const [, loaded] = await Promise.all([examined, this.#loadScript(redis)]);
    if (loaded !== undefined) this.#loaded(loaded, sent);
  }

  /** Gives the node the script, which begins the quarantine of a new node, too. Resolves with the answer; undefined if there is none. */
  #loadScript(redis: Redis): Promise<Decoded | undefined> {
    return new Promise((resolve) => {
      const replied = (reply: Reply): void => {
        if (!reply.ok && reply.refused)
          this.#trust.count({ kind: 'acquire' }, { kind: 'refused', reason: withoutKeys(reply.reason) });
        resolve(reply.ok ? this.encoder.decode(reply.value, ASKS_WHETHER_IT_VOTES) : undefined);
      };
      const failed = (): void => resolve(undefined);
      void redis.sendCommand(new WireCommand('eval', this.encoder.firstCall, { replied, failed }));
    });
  }

  #loaded({ clock, answers }: Decoded, sent: Moment): void {
    this.#heard(clock, sent);
    // After the node was reported as up.
    if (answers[0]!.kind === 'quarantined')
      this.clock.nextTurn(() => this.#trust.count(ASKS_WHETHER_IT_VOTES[0]!, answers[0]!));
  }

  #usable(): void {
    this.#pending.flush();
  }

  #cannotHear(reason: string): void {
    if (reason !== this.#deafness) this.#listener.event({ type: 'hand-off-unavailable', reason });
    this.#deafness = reason;
  }

  /**
   * Leaves a node whose messages cannot be read, or that sends many which nobody waits for. A vote that does not count yet stays on the node: its
   * value is that of a living deposit, under which this process may ask again.
   */
  #received(redis: Redis, text: string): void {
    const message = text.length > LONGEST_MESSAGE ? undefined : this.#read(text);
    if (message === undefined) this.#strays.count();
    else if (this.#trust.obstacle === undefined) {
      this.#trust.heard(message.clock, LONG_AGO, this.clock.now());
      if (this.#trust.allowsVotes) this.#listener.handedOff(message);
    }
    if (this.#strays.isFlood) redis.stream.destroy(new NonsenseError('it sends messages that nobody waits for'));
  }

  #read(text: string): (HandOff & { readonly clock: number }) | undefined {
    const [, value, token, oldest, clock, key] =
      /^(\S+) (\d+) (-|\d+(?:\.\d+)?(?:e\+\d+)?) (\d{1,15}) (.+)$/s.exec(text) ?? [];
    const { keyPrefix } = this.encoder.options;
    if (value === undefined || !key!.startsWith(keyPrefix) || !Number.isSafeInteger(Number(token))) return undefined;
    const resource = key!.slice(keyPrefix.length);
    const arrival = oldest === '-' ? undefined : Number(oldest);
    return { resource, value, token: Number(token), oldest: arrival, clock: Number(clock) };
  }

  #giveBack({ resource, value }: { readonly resource: string; readonly value: string }): void {
    const { maxTtl } = this.encoder.options;
    const release = { kind: 'release', resource, value, what: 'stay', ttl: maxTtl } as const;
    // An excluded node is a server that another address leads to as well: there the vote counts.
    if (!this.#sendPending([release], () => undefined) && !this.#trust.isExcluded) this.#pending.add(release);
  }
}

/** Returns the operation of a batch that keeps the reply of the work under a lock, which comes before the release. */
function settlingOf({ resource }: ReleaseOperation, operations: readonly Operation[]): SettleOperation | undefined {
  return operations.find(
    (operation): operation is SettleOperation => operation.kind === 'settle' && operation.resource === resource,
  );
}

function probed(answers: readonly Answer[]): ProbeAnswer {
  const refusal = answers.find(({ kind }) => kind === 'refused') as Refused | undefined;
  if (refusal !== undefined) return { kind: 'refused', reason: advised(refusal.reason) };
  const vote = answers[0]!;
  return vote.kind === 'quarantined' || vote.kind === 'unknown' ? vote : { kind: 'up' };
}
