import { Aside, returnedVote } from '../core/aside.js';
import { Claim, type Grant } from '../core/claim.js';
import type {
  AcquireAnswer,
  ExtendAnswer,
  Granted,
  LockNode,
  NodeEvent,
  ProbeAnswer,
  Quarantined,
  Question,
  RaiseAnswer,
  ReleaseAnswer,
  YieldAnswer,
} from '../core/lock-node.js';
import { readAnswers, type AnswerListener } from './answers.js';
import type { BatchEncoder } from './batch-encoder.js';
import { BatchQueue } from './batch-queue.js';
import { LINE_KEPT } from './line-script.js';
import { Batch, type Verb } from './batch.js';
import { commandOf } from './resp.js';
import { extendVerb, releaseVerb, severalOr } from './verb-of.js';
import { NodeConnection } from './connection.js';
import { GrantChannel } from './grant-channel.js';
import type { NodeAddress } from './node-address.js';
import { OwedReleases } from './owed-releases.js';
import { NodeTrust } from './node-trust.js';
import { within } from './within.js';
import type { Reply } from './wire-command.js';

const PING = commandOf('PING');
/** Ms to wait at the start for what a node tells of itself. */
const EXAMINED_WITHIN = 1_000;

/** A Redis or Valkey master as a `LockNode`, over one connection of its own. */
export class RedisNode implements LockNode {
  readonly name: string;
  readonly #connection: NodeConnection;
  readonly #batches: BatchQueue;
  readonly #grants: GrantChannel;
  readonly #owed = new OwedReleases();
  readonly #trust: NodeTrust;
  #tellPool: (event: NodeEvent) => void = () => undefined;

  constructor(
    address: NodeAddress,
    /** One for all nodes of a pool. */
    private readonly encoder: BatchEncoder,
  ) {
    this.name = address.name;
    this.#grants = new GrantChannel(encoder.channel, {
      granted: (claim, grant) => this.#granted(claim, grant),
      unwanted: (value, key) => this.#giveBack(value, key),
      unavailable: (reason) => this.#tellPool({ type: 'hand-off-unavailable', reason }),
    });
    this.#trust = new NodeTrust(encoder, {
      tell: (event) => this.#tellPool(event),
      send: (name, wire, settle) => this.#connection.send(name, wire, settle),
    });
    this.#connection = new NodeConnection(address.options, {
      ready: (redis) => {
        this.#grants.listen(redis);
        this.#trust.examine(redis);
      },
      usable: () => this.#usable(),
    });
    this.#batches = new BatchQueue({
      send: (batch, command, settle) =>
        this.#connection.send(command, encoder.wire(batch, command, this.#trust.run), settle),
      settle: (batch, reply) => this.#settle(batch, reply),
    });
  }

  get runId(): string | undefined {
    return this.#trust.runId;
  }

  acquire(question: Question<AcquireAnswer>, seat: number): void {
    const { claim } = question;
    const verb = claim.ticket && this.#grants.usable ? 'W' : severalOr('A', claim);
    claim.noteSent(this, this.#ask(verb, question, seat));
  }

  yield(question: Question<YieldAnswer>, seat: number): void {
    // Who cannot stand in line cannot keep a place in it either.
    if (this.#grants.usable) this.#ask('Y', question, seat);
    else this.release(new Aside(question.claim, 0, (answer) => question.answer(seat, asYielded(answer))), seat);
  }

  raise(question: Question<RaiseAnswer>, seat: number): void {
    this.#ask(severalOr('F', question.claim), question, seat);
  }

  extend(question: Question<ExtendAnswer>, seat: number): void {
    this.#ask(extendVerb(question.claim), question, seat);
  }

  release(question: Question<ReleaseAnswer>, seat: number): void {
    this.#ask(releaseVerb(question.claim), question, seat);
  }

  probe(answered: (answer: ProbeAnswer) => void): void {
    const reason = this.#connection.obstacle();
    if (reason) return queueMicrotask(() => answered({ kind: 'unknown', reason, sent: false }));
    // Not before what was asked earlier.
    this.#batches.flush();
    const { restartQuarantine } = this.encoder.trust;
    const wire = restartQuarantine ? this.encoder.wire(new Batch(), 'eval') : PING;
    this.#connection.send('probe', wire, (reply) => answered(this.#trust.probed(reply)));
  }

  async open(listener: (event: NodeEvent) => void): Promise<void> {
    this.#tellPool = listener;
    await this.#connection.open(listener);
    await within(EXAMINED_WITHIN, this.#trust.examined);
  }

  close(): Promise<void> {
    this.#tellPool = () => undefined;
    // What was given up in this very turn still leaves.
    this.#batches.flush();
    return this.#connection.close();
  }

  /** Puts an operation into the batch of this turn and returns true, or answers in a microtask why it was not sent. */
  #ask<A>(verb: Verb, question: Question<A>, seat: number): boolean {
    const reason = this.#batches.isOpen ? undefined : this.#connection.obstacle();
    if (reason === undefined) {
      this.#batches.add(verb, question, seat);
      return true;
    }
    const batch = new Batch();
    batch.add(verb, question, seat);
    // `queueMicrotask` makes a resource for async hooks first; here it is called for everything that is asked while a node is down.
    void Promise.resolve().then(() => this.#settle(batch, { ok: false, reason, sent: false }));
    return false;
  }

  #settle(batch: Batch, reply: Reply): void {
    this.encoder.forget();
    this.#trust.heard(reply, this.#connection.lastAnswered);
    readAnswers(batch, reply, this.#answered);
  }

  readonly #answered: AnswerListener = (batch, index, answer) => {
    const question = batch.questions[index]!;
    const seat = batch.seats[index]!;
    if (question.claim.ticket || answer.kind === 'unknown') this.#note(batch.verbs[index]!, question, answer.kind);
    if (answer.kind === 'quarantined' || answer.kind === 'granted') this.#voted(question, seat, answer);
    else question.answer(seat, answer);
  };

  /** A vote that a node gave before it was known not to be trusted is given back. */
  #voted(question: Question<unknown>, seat: number, answer: Granted | Quarantined): void {
    const counted = this.#trust.count(answer);
    if (counted !== answer) this.release(returnedVote(question.claim, question.ttl, seat), seat);
    question.answer(seat, counted);
  }

  /** Keeps in mind which claims wait for grants, and which releases are owed. */
  #note(verb: Verb, { claim, ttl }: Question<unknown>, answer: string): void {
    // Without an answer it may be in line all the same.
    if (verb === 'W' && (answer === 'held' || answer === 'unknown')) return this.#grants.expect(claim);
    if (verb === 'Y' && (answer === 'passed' || answer === 'unknown')) return this.#grants.expect(claim);
    if (verb !== 'L' && verb !== 'R' && verb !== 'S' && verb !== 'r') return;
    this.#grants.forget(claim);
    const until = claim.ticket ? Math.max(ttl, LINE_KEPT) : ttl;
    if (answer === 'unknown' && claim.mayBeOn(this)) this.#owed.add(claim, until);
  }

  #usable(): void {
    this.#payOwed();
    // A node that has to wait begins to wait now.
    if (this.encoder.trust.restartQuarantine) this.probe(() => undefined);
  }

  #payOwed(): void {
    for (const [claim, left] of this.#owed.take()) {
      // Whoever followed has asked long ago: what is given back now serves the line.
      claim.followed = false;
      this.release(new Aside(claim, left), 0);
    }
  }

  #granted(claim: Claim, { fence, oldest }: Omit<Grant, 'since'>): void {
    const since = this.#connection.lastAnswered;
    if (since && this.#trust.counts) claim.ticket!.granted(this.name, { since, fence, oldest });
  }

  /** The waiter gave up while the grant was on its way. */
  #giveBack(value: string, key: string): void {
    this.release(new Aside(new Claim([key.slice(this.encoder.keyPrefix.length)], value), 0), 0);
  }
}

function asYielded({ kind }: ReleaseAnswer): YieldAnswer {
  return { kind: kind === 'released' ? 'passed' : 'gone' };
}
