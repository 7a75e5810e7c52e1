import type { Redis } from 'ioredis';
import type { Moment } from '../../core/time/clock.js';
import type { Bounds, Unknown } from '../../core/port/lock-node.js';
import { NO_INFO, nodeClockOf, refusal, type NodeAnswer } from '../batch/reply-decoder.js';
import { NO_RUN, type Encoder } from '../batch/batch-encoder.js';
import { Examiner } from './examiner.js';
import { ServerClocks } from './server-clocks.js';
import { AddressHistory, type Arrival } from './address-history.js';
import { introduce } from './introduction.js';
import type { NodeLink } from '../connection/node-link.js';
import { OwedDistrust } from './owed-distrust.js';
import { NonsenseError } from '../connection/wire/node-text.js';
import { bulk } from '../connection/wire/resp.js';
import { VoteCount } from './vote-count.js';
import { Warnings } from './warnings.js';
import { within } from '../connection/within.js';
import type { Reply } from '../connection/wire/wire-command.js';

/** Ms to wait at the start for what a node says about itself. */
const EXAMINED_WITHIN = 1_000;
const UNKNOWN: Arrival = { run: undefined, since: undefined, asked: 0 };
const NOT_JUDGED: Unknown = { kind: 'unknown', reason: 'since when it has been a node is not known yet', sent: true };

/** Decides whether a node may vote: by its answers, by its clock, and by what it says about itself. */
export class NodeTrust {
  /** Resolves when the node has said which server it is, or could not say. */
  examined: Promise<void> = Promise.resolve();
  /** The run of the node that this connection leads to, as an encoded word for a batch. */
  run = NO_RUN;
  #introduced: Promise<void> = Promise.resolve();
  #server: Arrival = UNKNOWN;
  readonly #clocks = new ServerClocks();
  #isIdentified = true;
  /** Whether it is known if the server may vote at this address; before that no vote counts, and no answer shows anything. */
  #isJudged = true;
  #bar: string | undefined;
  readonly #warnings: Warnings;
  readonly #votes: VoteCount;
  readonly #examiner: Examiner;
  readonly #distrusted: OwedDistrust;
  readonly #history: AddressHistory;
  /** The connection to a server that did not say which one it is, where that matters. */
  #unknown: Redis | undefined;
  /** When that connection may be left again for one over which the server may say it, ms on our monotonic clock. */
  #leaveFrom = -Infinity;
  /** When the question was sent to which the latest reply belongs. */
  #asked: Moment | undefined;

  constructor(
    private readonly encoder: Pick<Encoder, 'trust' | 'marker' | 'keyPrefix' | 'wire'>,
    private readonly link: NodeLink,
  ) {
    this.#warnings = new Warnings(link);
    this.#examiner = new Examiner(encoder, link.clock);
    this.#history = new AddressHistory(encoder.trust.maxTtl);
    this.#distrusted = new OwedDistrust(encoder, link, () => this.runId);
    this.#votes = new VoteCount(encoder.trust, link, this.#distrusted);
  }

  get runId(): string | undefined {
    return this.#server.run;
  }

  /** @see LockNode.clockAhead */
  get clockAhead(): Bounds | undefined {
    return this.#clocks.current.ahead;
  }

  /** Resolves when the node has said which server it is and what time it has, or after the time limit. */
  introduced(): Promise<void> {
    return within(EXAMINED_WITHIN, this.#introduced, this.link.clock);
  }

  /** Why the node is not asked although it can be reached, and why none of its votes counts. */
  get obstacle(): string | undefined {
    return this.#isIdentified ? this.#bar : 'which server it is is not known yet';
  }

  /** @see LockNode.bar */
  bar(reason: string | undefined): void {
    this.#bar = reason;
    this.#arrive();
  }

  /** Starts over on a new connection, which may lead to another server. Resolves when it is known which one, or that the server does not say. */
  examine(redis: Redis): Promise<void> {
    this.run = NO_RUN;
    this.#isIdentified = false;
    this.#unknown = undefined;
    const examined = this.#examiner.ask(redis).then(
      ({ server, forgetsScripts, warnings }) => {
        if (this.examined !== examined) return;
        this.#identify(server);
        if (server.run !== undefined && forgetsScripts) this.run = bulk(server.run);
        for (const warning of warnings) this.#warnings.give(warning);
      },
      (error: Error) => {
        // The next connection tries again.
        if (this.examined === examined && error instanceof NonsenseError) redis.stream.destroy(error);
        if (this.examined !== examined || error.name !== 'ReplyError') return;
        this.#identify({ ...UNKNOWN, asked: this.#now() });
        if (!this.encoder.trust.restartQuarantine) return;
        this.#unknown = redis;
        if (!error.message.startsWith('NOAUTH')) this.#warnings.give(NO_INFO);
      },
    );
    this.examined = examined;
    // Sent last, because the script may change the marker.
    const [sent, introduced] = [this.link.clock.now(), introduce(redis, this.encoder)];
    // The time in the reply counts only when it is known which server it comes from.
    this.#introduced = examined.then(async () => this.heard(await introduced, sent));
    return examined;
  }

  /** Tells the node what it could not be told before, now that it can be sent something again. */
  pay(): void {
    this.#distrusted.pay();
  }

  close(): void {
    for (const part of [this.#examiner, this.#distrusted]) part.close();
  }

  #identify(server: Arrival): void {
    // Two servers that do not say which they are may be two.
    if (server.run === undefined || server.run !== this.runId) this.#clocks.meet(server.run);
    [this.#server, this.#isIdentified, this.#isJudged] = [server, true, !this.encoder.trust.restartQuarantine];
    this.link.identified?.();
    this.#arrive();
  }

  #arrive(): void {
    if (!this.obstacle && this.encoder.trust.restartQuarantine) this.#history.arrive(this.#server);
  }

  /** Begins the quarantine of a server that has come to this address in the place of another one, if it has to wait. */
  #judge(ahead: Bounds): void {
    if (this.obstacle) return;
    const verdict = this.#history.judge(ahead);
    this.#isJudged = verdict !== 'unsure';
    if (verdict === 'has to wait') this.#distrusted.begin();
  }

  /** Checks the time that comes with a reply, since a clock that was set may have ended leases early, and whether the node runs scripts. */
  heard(reply: Reply, sent: Moment | undefined): void {
    this.#asked = sent;
    if (sent) this.#look(nodeClockOf(reply), sent);
    this.#votes.heard(reply);
  }

  #look(time: number | undefined, sent: Moment): void {
    if (time === undefined) return;
    const step = this.#clocks.current.note(time, sent, this.link.clock.now());
    if (!this.#isJudged) this.#judge(this.clockAhead!);
    if (step === 0 || !this.encoder.trust.restartQuarantine) return;
    const reason = `its clock was set by ${Math.round(step)} ms or more: leases may have ended early`;
    this.#distrusted.begin();
    this.#votes.report.out(reason, this.encoder.trust.maxTtl);
  }

  /** Returns whether a grant with this token counts, given not before `since`, at `clock` on the node, whose clock it may find to be set. */
  allows(token: number, since?: Moment, clock?: number): boolean {
    if (since) this.#look(clock, since);
    if (this.obstacle || !this.#isJudged || this.#isUnknown()) return false;
    this.#history.note('granted', since);
    return this.#votes.allows(token);
  }

  /** Returns what an answer counts as, in the reply that was `heard` last. Only votes may count as something else. */
  count(answer: NodeAnswer): NodeAnswer {
    return this.#votes.ofAnswer(this.#noted(answer));
  }

  /** Does the same for the answer to a request for a vote, which also shows whether the node votes at all. */
  countVote(answer: NodeAnswer): NodeAnswer {
    return this.#votes.ofVote(this.#noted(answer));
  }

  #noted(answer: NodeAnswer): NodeAnswer {
    if (this.#isJudged) this.#history.note(answer.kind, this.#asked);
    if (answer.kind !== 'granted') return answer;
    if (this.#isUnknown()) return refusal(NO_INFO);
    return this.#isJudged ? answer : NOT_JUDGED;
  }

  /** Returns whether a server votes that has not said which one it is: its user may ask that by now, and so the next connection does. */
  #isUnknown(): boolean {
    if (this.#unknown && this.#now() >= this.#leaveFrom) {
      this.#leaveFrom = this.#now() + this.encoder.trust.maxTtl;
      this.#unknown.disconnect(true);
    }
    return this.#unknown !== undefined;
  }

  #now(): number {
    return this.link.clock.now().monotonic;
  }
}
