import type { Redis } from 'ioredis';
import type { Clock, Moment } from '../../engine/clock.js';
import type {
  Answer,
  HandOff,
  LockNode,
  NodeListener,
  Operation,
  ProbeAnswer,
  ReleaseOperation,
  Unknown,
} from '../../engine/lock-node.js';
import { AskingAgain } from '../../redis/connection/asking-again.js';
import { NodeConnection } from '../../redis/connection/connection.js';
import type { NodeAddress } from '../../redis/connection/settings/node-address.js';
import { NonsenseError } from '../../redis/connection/wire/node-text.js';
import { within } from '../../redis/connection/within.js';
import { WireCommand, type Reply } from '../../redis/connection/wire/wire-command.js';
import { Strays } from '../../redis/strays.js';
import { decode, type BatchEncoder } from './batch.js';
import { OwedReleases } from './owed-releases.js';
import { NodeTrust } from './trust.js';

/** Ms to wait at the start for what a node says about itself. */
const KNOWN_WITHIN = 1_000;
/** Characters of a message at most: a value, two numbers and a key. */
const LONGEST_MESSAGE = 4_096;
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
  readonly #owed: OwedReleases;
  readonly #subscribing: AskingAgain;
  readonly #strays: Strays;
  #listener = NOBODY;
  #redis: Redis | undefined;
  /** Resolves when the server of the present connection has said which one it is, and has the script. */
  #known: Promise<void> = Promise.resolve();

  constructor(
    address: NodeAddress,
    private readonly encoder: BatchEncoder,
    private readonly clock: Clock,
  ) {
    this.name = address.name;
    this.#trust = new NodeTrust(encoder.options, clock, (event) => this.#listener.event(event));
    this.#owed = new OwedReleases(clock, (operations) => this.#sendOwed(operations));
    this.#subscribing = new AskingAgain(clock);
    this.#strays = new Strays(clock);
    const listener = { ready: (redis: Redis) => this.#ready(redis), usable: () => this.#usable() };
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

  probe(answered: (answer: ProbeAnswer) => void): void {
    const reason = this.#connection.obstacle();
    if (reason !== undefined)
      return void Promise.resolve().then(() => answered({ kind: 'unknown', reason, sent: false }));
    if (this.#trust.obstacle !== undefined) return answered({ kind: 'barred', reason: this.#trust.obstacle });
    const probe = { kind: 'acquire', resource: '~probe', value: '~probe.0', ttl: 1, proposal: 0, count: 1 } as const;
    // Refused for its proposal where the node votes, since 0 is far from its clock: so it leaves nothing behind.
    this.#send([probe], (answers) =>
      answered(probed(Array.isArray(answers) ? (answers as Answer[])[0]! : (answers as Unknown))),
    );
  }

  bar(reason: string | undefined): void {
    this.#trust.bar(reason);
  }

  async open(listener: NodeListener): Promise<void> {
    this.#listener = listener;
    await this.#connection.open((event) => listener.event(event));
    await within(KNOWN_WITHIN, this.#known, this.clock);
  }

  close(): Promise<void> {
    this.#listener = NOBODY;
    for (const part of [this.#owed, this.#trust, this.#subscribing]) part.close();
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
    this.#connection.send('evalsha', wire, (reply) => {
      if (!reply.ok) return this.#settle(operations, this.#failed(reply), answered);
      this.#settle(operations, this.#decode(reply.value, operations, sent), answered);
      if (distrust !== undefined) this.#trust.told();
    });
  }

  #decode(value: unknown, operations: readonly Operation[], sent: Moment): readonly Answer[] {
    const { clock, answers } = decode(value, operations);
    const now = this.clock.now();
    this.#trust.heard(clock, sent, now);
    if (clock !== undefined) this.#listener.dated(clock * 1_000, sent.monotonic, now.monotonic);
    return answers.map((answer, index) => this.#count(operations[index]!, answer));
  }

  /** A vote that does not count goes back. */
  #count(operation: Operation, answer: Answer): Answer {
    const counted = this.#trust.count(operation, answer);
    if (answer.kind === 'granted' && counted.kind !== 'granted') this.#giveBack(operation);
    return counted;
  }

  #settle(
    operations: readonly Operation[],
    answers: readonly Answer[] | Unknown,
    answered: (answers: readonly Answer[] | Unknown) => void,
  ): void {
    const list = Array.isArray(answers) ? (answers as readonly Answer[]) : undefined;
    for (const [index, operation] of operations.entries()) {
      if (operation.kind !== 'release') continue;
      const { kind } = list?.[index] ?? (answers as Unknown);
      if (kind === 'released' || kind === 'gone') this.#owed.done(operation);
      else this.#owed.add(operation);
    }
    answered(answers);
  }

  #failed(reply: Extract<Reply, { ok: false }>): Unknown {
    // Somebody has emptied the scripts of the node. It gets the script again, and nothing of this list was done.
    const isUnknown = reply.reason.startsWith('NOSCRIPT');
    if (isUnknown && this.#redis) void this.#introduce(this.#redis);
    return { kind: 'unknown', reason: reply.reason, sent: reply.sent && !isUnknown };
  }

  #sendOwed(operations: readonly ReleaseOperation[]): boolean {
    if (this.#obstacle !== undefined) return false;
    this.#send(operations, () => undefined);
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
        .catch((error: Error) => error.name === 'ReplyError' && this.#cannotHear(error.message));
    } else this.#cannotHear('the node does not speak RESP3, which Redis has from version 6 on');
    const examined = this.#trust.examine(redis);
    const introduced = this.#introduce(redis);
    this.#known = Promise.all([examined, introduced]).then(() => undefined);
    await examined;
    this.#listener.identified();
  }

  /** Gives the node the script. It begins the quarantine of a new node, too. */
  #introduce(redis: Redis): Promise<void> {
    const sent = this.clock.now();
    return new Promise((resolve) => {
      const replied = (reply: Reply): void => {
        if (reply.ok) this.#decode(reply.value, [], sent);
        resolve();
      };
      void redis.sendCommand(new WireCommand('eval', this.encoder.introduction, { replied, failed: () => resolve() }));
    });
  }

  #usable(): void {
    this.#owed.pay();
  }

  #cannotHear(reason: string): void {
    this.#listener.event({ type: 'hand-off-unavailable', reason });
  }

  /** Leaves a node whose messages cannot be read, or that sends many which nobody waits for. */
  #received(redis: Redis, text: string): void {
    const message = text.length > LONGEST_MESSAGE ? undefined : this.#read(text);
    if (message === undefined) this.#strays.count();
    else if (this.#trust.allowsVotes) this.#listener.handedOff(message);
    else this.#giveBack(message);
    if (this.#strays.isFlood) redis.stream.destroy(new NonsenseError('it sends messages that nobody waits for'));
  }

  #read(text: string): HandOff | undefined {
    const [, value, token, oldest, key] = /^(\S+) (\d+) (-|\d+(?:\.\d+)?(?:e\+\d+)?) (.+)$/s.exec(text) ?? [];
    const { keyPrefix } = this.encoder.options;
    if (value === undefined || !key!.startsWith(keyPrefix) || !Number.isSafeInteger(Number(token))) return undefined;
    const resource = key!.slice(keyPrefix.length);
    return { resource, value, token: Number(token), oldest: oldest === '-' ? undefined : Number(oldest) };
  }

  #giveBack({ resource, value }: { readonly resource: string; readonly value: string }): void {
    this.#sendOwed([{ kind: 'release', resource, value, what: 'nothing', ttl: this.encoder.options.maxTtl }]);
  }
}

function probed(answer: Answer): ProbeAnswer {
  if (answer.kind === 'quarantined' || answer.kind === 'unknown') return answer;
  if (answer.kind === 'refused' && !answer.reason.startsWith('the clocks of')) return answer;
  return { kind: 'up' };
}
