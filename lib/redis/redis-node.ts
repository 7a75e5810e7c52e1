import { SingleCall } from '../core/port/single-call.js';
import { giveBackQuestion, rejectVote } from '../core/port/votes-in-doubt.js';
import { Claim } from '../core/port/claim.js';
import type {
  AcquireAnswer,
  ExtendAnswer,
  LockNode,
  NodeEvent,
  Question,
  RaiseAnswer,
  ReleaseAnswer,
  YieldAnswer,
} from '../core/port/lock-node.js';
import { noteKey, type NoteListener } from '../core/port/process-note.js';
import { fitting, readAnswers, yieldedBy, type AnswerListener } from './batch/reply-decoder.js';
import type { Encoder } from './batch/batch-encoder.js';
import { BatchQueue } from './batch/batch-queue.js';
import { Batch } from './batch/batch.js';
import { acquireVerb, extendVerb, isRelease, isVote, mayStand, releaseVerb, severalOr } from './batch/verbs.js';
import { VERB, type Verb } from './scripts/protocol.js';
import { GrantChannel, type GrantListener } from './grant-channel.js';
import type { NodeAddress } from './connection/settings/node-address.js';
import type { NodeParts } from './connection/node-parts.js';
import { owedFor, OwedReleases } from './owed-releases.js';
import type { NodeLink } from './connection/node-link.js';
import { askForNote } from './note-on-node.js';
import { NodeTrust } from './trust/node-trust.js';
import { Probe } from './trust/probe.js';
import type { Reply } from './connection/wire/wire-command.js';
import { soon } from '../core/time/real-time.js';

/** A Redis or Valkey master as a `LockNode`, over one connection of its own. */
export class RedisNode implements LockNode {
  readonly name: string;
  readonly #connection: ReturnType<NodeParts['connect']>;
  readonly #batches: BatchQueue;
  readonly #grants: GrantChannel;
  readonly #owed: OwedReleases;
  readonly #trust: NodeTrust;
  readonly #probe: Probe;
  #notifyPool: (event: NodeEvent) => void = () => undefined;
  #identified = (): void => undefined;

  constructor(
    address: NodeAddress,
    private readonly encoder: Encoder,
    { clock, connect }: NodeParts,
  ) {
    this.name = address.name;
    const giveBack = (claim: Claim, remaining: number): void => this.release(new SingleCall(claim, remaining), 0);
    this.#owed = new OwedReleases({ obstacle: () => this.#obstacle(), release: giveBack }, clock);
    this.#grants = new GrantChannel(encoder, clock, {
      granted: this.#granted,
      notBefore: () => this.#connection.latestAnsweredSentAt,
      asking: (value, resource) => this.#batches.asking(value, resource),
      unwanted: (claim) => {
        if (!this.#batches.hasJustAskedFor(claim) && !this.#trust.obstacle) giveBack(claim, encoder.trust.maxTtl);
      },
      unavailable: (reason) => this.#notifyPool({ type: 'hand-off-unavailable', reason }),
    });
    const link: NodeLink = {
      notify: (event) => this.#notifyPool(event),
      identified: () => this.#identified(),
      send: (name, wire, settle) => this.#connection.send(name, wire, settle),
      clock,
    };
    this.#trust = new NodeTrust(encoder, link);
    this.#probe = new Probe(encoder, this.#trust, link);
    this.#connection = connect(address, {
      ready: (redis) => {
        this.#grants.listen(redis);
        return this.#trust.examine(redis);
      },
      usable: () => this.#catchUp(),
    });
    this.#batches = new BatchQueue({
      nextTurn: (task) => clock.nextTurn(task),
      send: (batch, command, settle) =>
        this.#connection.send(command, encoder.wire(batch, command, this.#trust.run), settle),
      settle: (batch, reply) => this.#settle(batch, reply),
    });
  }

  get runId(): string | undefined {
    return this.#trust.runId;
  }

  get clockAhead(): LockNode['clockAhead'] {
    return this.#trust.clockAhead;
  }

  acquire(question: Question<AcquireAnswer>, nodeIndex: number): void {
    this.#owed.asked(question, this.#ask(acquireVerb(question.claim, this.#grants.canHear), question, nodeIndex));
  }

  yield(question: Question<YieldAnswer>, nodeIndex: number): void {
    // Without grants there are no places in line, so the claim gives its vote back without taking one.
    if (this.#grants.canHear) return void this.#ask(VERB.yield, question, nodeIndex);
    const passed = (answer: ReleaseAnswer): void => question.answer(nodeIndex, yieldedBy(answer));
    this.release(giveBackQuestion({ claim: question.claim, ttl: 0 }, nodeIndex, passed), nodeIndex);
  }

  raise(question: Question<RaiseAnswer>, nodeIndex: number): void {
    this.#ask(severalOr(VERB.raise, question.claim), question, nodeIndex);
  }

  extend(question: Question<ExtendAnswer>, nodeIndex: number): void {
    this.#ask(extendVerb(question), question, nodeIndex);
  }

  release(question: Question<ReleaseAnswer>, nodeIndex: number): void {
    this.#ask(releaseVerb(question), question, nodeIndex);
  }

  probe(answered: Parameters<LockNode['probe']>[0]): void {
    const reason = this.#connection.obstacle();
    if (reason) return soon(() => answered({ kind: 'unknown', reason, sent: false }));
    // Operations that were requested earlier have to be sent first.
    this.#batches.flush();
    this.#probe.ask(answered);
  }

  noteOf(mark: string, answered: NoteListener): void {
    if (this.#obstacle() !== undefined) return void Promise.resolve().then(() => answered(undefined));
    askForNote(this.#connection, noteKey(this.encoder.keyPrefix, mark), answered);
  }

  bar(reason: string | undefined): void {
    this.#trust.bar(reason);
    if (this.#obstacle() === undefined) this.#catchUp();
  }

  async open(listener: (event: NodeEvent) => void, identified = (): void => undefined): Promise<void> {
    [this.#notifyPool, this.#identified] = [listener, identified];
    await this.#connection.open(listener);
    await this.#trust.introduced();
  }

  close(): Promise<void> {
    this.#notifyPool = this.#identified = () => undefined;
    // Releases that were requested in this very turn still have to be sent.
    this.#batches.flush();
    for (const part of [this.#owed, this.#trust, this.#grants]) part.close();
    return this.#connection.close();
  }

  /** Adds an operation to the batch of this turn and returns true; if it cannot be sent, answers why in a microtask and returns false. */
  #ask<A>(verb: Verb, question: Question<A>, nodeIndex: number): boolean {
    const reason = this.#batches.isOpen ? undefined : this.#obstacle();
    if (reason === undefined) {
      this.#batches.add(verb, question, nodeIndex);
      return true;
    }
    const batch = new Batch();
    batch.add(verb, question, nodeIndex);
    // `queueMicrotask` would first create a resource for async hooks.
    void Promise.resolve().then(() => this.#settle(batch, { ok: false, reason, sent: false }));
    return false;
  }

  #obstacle(): string | undefined {
    return this.#connection.obstacle() ?? this.#trust.obstacle;
  }

  #settle(batch: Batch, reply: Reply): void {
    this.encoder.forget();
    this.#trust.heard(reply, batch.sent);
    this.#grants.aroundReply(reply, () => readAnswers(batch, reply, this.#answered));
  }

  readonly #granted: GrantListener['granted'] = (claim, { fence, oldest, clock }, since) => {
    if (since && this.#trust.allows(fence, since, clock)) claim.place!.granted(this.name, { since, fence, oldest });
  };

  readonly #answered: AnswerListener = (batch, index, told) => {
    const question = batch.questions[index]!;
    const verb = batch.verbs[index]!;
    const answer = fitting(verb, told);
    const nodeIndex = batch.nodeIndexes[index]!;
    const isNoted = question.claim.place || answer.kind === 'unknown' || this.#owed.size > 0;
    if (isNoted) this.#note(verb, question, answer.kind);
    const counted = isVote(verb) ? this.#trust.countVote(answer) : this.#trust.count(answer);
    if (counted !== answer) rejectVote(this, question, nodeIndex);
    question.answer(nodeIndex, counted);
  };

  /** Keeps track of which claims wait for grants, and which releases are owed. */
  #note(verb: Verb, { claim, ttl }: Question<unknown>, answer: string): void {
    if (mayStand(verb, answer)) return this.#grants.expect(claim);
    if (!isRelease(verb)) return;
    if (claim.place) this.#grants.forget(claim);
    if (answer !== 'unknown') return this.#owed.paid(claim);
    this.#owed.add(claim, owedFor(claim, ttl));
  }

  #catchUp(): void {
    if (this.#trust.obstacle) return;
    for (const part of [this.#trust, this.#owed]) part.pay();
    // The probe starts the quarantine of a new node now, and shows that a node refuses its votes before anybody needs them.
    if (this.encoder.trust.restartQuarantine) this.probe(() => undefined);
  }
}
