import type { Redis } from 'ioredis';
import type { Moment } from '../../core/time/clock.js';
import type { Bounds } from '../../core/port/lock-node.js';
import { NO_INFO, nodeClockOf, type NodeAnswer } from '../batch/reply-decoder.js';
import { NO_RUN, type Encoder } from '../batch/batch-encoder.js';
import { Batch } from '../batch/batch.js';
import { hasFences, readExamination } from './server-checks.js';
import { ServerClocks } from './server-clocks.js';
import { AskingAgain } from '../connection/asking-again.js';
import type { NodeLink } from '../connection/node-link.js';
import { Refusals } from './refusals.js';
import { OwedDistrust } from './owed-distrust.js';
import { bulk } from '../connection/wire/resp.js';
import { MAY_HAVE_FORGOTTEN } from '../../core/port/quarantine-reasons.js';
import { TokenBound } from './token-bound.js';
import { within } from '../connection/within.js';
import { WireCommand, type Reply } from '../connection/wire/wire-command.js';

/** Ms to wait at the start for what a node says about itself. */
const EXAMINED_WITHIN = 1_000;

/** Decides whether a node may vote: by its answers, by its clock, and by what it says about itself. */
export class NodeTrust {
  /** Resolves when the node has said which server it is, or could not say. */
  examined: Promise<void> = Promise.resolve();
  /** The run of the node that this connection leads to, as an encoded word for a batch. */
  run = NO_RUN;
  #introduced: Promise<void> = Promise.resolve();
  #runId: string | undefined;
  readonly #clocks = new ServerClocks();
  #isOut = false;
  #isIdentified = true;
  #bar: string | undefined;
  readonly #warned = new Set<string>();
  readonly #bound: TokenBound;
  readonly #refusals: Refusals;
  /** Until a busy node can say which server it is: one with two addresses would vote twice. */
  readonly #info: AskingAgain;
  readonly #distrusted: OwedDistrust;

  constructor(
    private readonly encoder: Pick<Encoder, 'trust' | 'marker' | 'keyPrefix' | 'wire'>,
    private readonly link: NodeLink,
  ) {
    this.#bound = new TokenBound(encoder.trust, link.clock);
    this.#refusals = new Refusals(link);
    this.#info = new AskingAgain(link.clock);
    this.#distrusted = new OwedDistrust(encoder, link, () => this.#runId);
  }

  get runId(): string | undefined {
    return this.#runId;
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
  }

  /** Starts over on a new connection, which may lead to another server. Resolves when it is known which one, or that the server does not say. */
  examine(redis: Redis): Promise<void> {
    this.run = NO_RUN;
    this.#isIdentified = false;
    const answers = Promise.all([
      this.#info.ask(() => redis.info()),
      redis.get(this.encoder.marker).catch(() => null),
      hasFences(redis, this.encoder.keyPrefix),
    ]);
    const examined = answers.then(
      ([info, marker, isUsed]) => {
        if (this.examined !== examined) return;
        const { runId, forgetsScripts, warnings } = readExamination({ info, marker, isUsed }, this.encoder.trust);
        if (runId !== this.#runId) this.#clocks.meet(runId);
        this.#identify(runId);
        if (runId !== undefined && forgetsScripts) this.run = bulk(runId);
        for (const warning of warnings) this.#warn(warning);
      },
      (error: Error) => {
        // The next connection tries again.
        if (this.examined !== examined || error.name !== 'ReplyError') return;
        this.#identify(undefined);
        if (this.encoder.trust.restartQuarantine && !error.message.startsWith('NOAUTH')) this.#warn(NO_INFO);
      },
    );
    this.examined = examined;
    // Sent last, because the script may change the marker.
    const [sent, introduced] = [this.link.clock.now(), this.#introduce(redis)];
    // The time in the reply counts only when it is known which server it comes from.
    this.#introduced = examined.then(async () => this.heard(await introduced, sent));
    return examined;
  }

  /** Tells the node what it could not be told before, now that it can be sent something again. */
  pay(): void {
    this.#distrusted.pay();
  }

  close(): void {
    for (const part of [this.#info, this.#distrusted]) part.close();
  }

  #identify(runId: string | undefined): void {
    this.#runId = runId;
    this.#isIdentified = true;
    this.link.identified?.();
  }

  /** Checks the time that comes with a reply, since a clock that was set may have ended leases early, and whether the node runs scripts. */
  heard(reply: Reply, sent: Moment | undefined): void {
    if (sent) this.#look(nodeClockOf(reply), sent);
    if (!reply.ok) this.#refusals.heard(reply);
  }

  #look(time: number | undefined, sent: Moment): void {
    const step = time === undefined ? 0 : this.#clocks.current.note(time, sent, this.link.clock.now());
    if (step === 0 || !this.encoder.trust.restartQuarantine) return;
    const reason = `its clock was set by ${Math.round(step)} ms or more: leases may have ended early`;
    this.#distrusted.begin();
    this.#out(reason, this.encoder.trust.maxTtl);
  }

  /** Returns whether a grant with this token counts, given not before `since`, at `clock` on the node, whose clock it may find to be set. */
  allows(token: number, since?: Moment, clock?: number): boolean {
    if (since) this.#look(clock, since);
    if (this.obstacle || this.#distrusted.remaining > 0) return false;
    return this.#bound.allows(token);
  }

  /** Returns what an answer counts as; only votes may count as something else. */
  count(answer: NodeAnswer): NodeAnswer {
    return this.#bound.count(this.#counted(answer));
  }

  /** Does the same for the answer to a request for a vote, which also shows whether the node votes at all. */
  countVote(answer: NodeAnswer): NodeAnswer {
    const counted = this.count(answer);
    this.#refusals.note(counted);
    return counted;
  }

  /** Counts a vote as a quarantine while the clock of the node counts as set; reports when a quarantine begins and ends. */
  #counted(answer: NodeAnswer): NodeAnswer {
    const isVote = answer.kind === 'granted';
    // The usual case comes first, because this runs for every answer.
    if (isVote ? !this.#isOut : answer.kind !== 'quarantined') return answer;
    const { remaining } = this.#distrusted;
    const counted: NodeAnswer =
      isVote && remaining > 0 ? { kind: 'quarantined', remaining: Math.ceil(remaining) } : answer;
    if (counted.kind === 'quarantined') this.#out(MAY_HAVE_FORGOTTEN, counted.remaining);
    else if (this.#isOut) this.#back();
    return counted;
  }

  /** Sends the script text with an empty batch. The node then knows the script, is checked where restarts matter, and says what time it has. */
  #introduce(redis: Redis): Promise<Reply> {
    return new Promise((resolve) => {
      const wire = this.encoder.wire(new Batch(), 'eval');
      void redis.sendCommand(new WireCommand('eval', wire, { replied: resolve, failed: resolve }));
    });
  }

  #out(reason: string, remaining: number): void {
    if (this.#isOut) return;
    this.#isOut = true;
    this.link.notify({ type: 'node-quarantined', reason, remaining });
  }

  #back(): void {
    this.#isOut = false;
    this.link.notify({ type: 'node-trusted' });
  }

  /** Warns once, however often the node connects. */
  #warn(reason: string): void {
    if (this.#warned.has(reason)) return;
    this.#warned.add(reason);
    this.link.notify({ type: 'node-warning', reason });
  }
}
