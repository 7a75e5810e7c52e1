import type { Redis } from 'ioredis';
import type { Moment } from '../../core/time/clock.js';
import type { Bounds } from '../../core/port/lock-node.js';
import { NO_INFO, nodeClockOf, type NodeAnswer } from '../batch/reply-decoder.js';
import { NO_RUN, type Encoder } from '../batch/batch-encoder.js';
import { Batch } from '../batch/batch.js';
import { examine, hasFences } from './server-checks.js';
import { NodeClock } from './node-clock.js';
import { NodeInfo } from './node-info.js';
import type { NodeLink } from '../connection/node-link.js';
import { Refusals } from './refusals.js';
import { bulk, commandOf } from '../connection/resp.js';
import { TokenBound } from './token-bound.js';
import { DISTRUST } from '../scripts/trust-script.js';
import { within } from '../connection/within.js';
import { WireCommand, type Reply } from '../connection/wire-command.js';

/** Ms to wait at the start for what a node tells of itself. */
const EXAMINED_WITHIN = 1_000;
const NEW_OR_EMPTIED = 'it is new, or was restarted, emptied or set back, and may have forgotten locks';

/** Whether a node may vote: what its answers say of it, what its clock says, and what it tells of itself. */
export class NodeTrust {
  /** Resolves when the node has told of itself, or could not. */
  examined: Promise<void> = Promise.resolve();
  /** Which run of the node this connection leads to, as a word for a batch. */
  run = NO_RUN;
  #introduced: Promise<void> = Promise.resolve();
  #runId: string | undefined;
  #clock = new NodeClock();
  #isOut = false;
  #isIdentified = true;
  #bar: string | undefined;
  /** Until when, on our monotonic clock, its votes do not count, because its clock was set. */
  #setUntil = 0;
  readonly #warned = new Set<string>();
  readonly #bound: TokenBound;
  readonly #refusals: Refusals;
  readonly #info: NodeInfo;

  constructor(
    private readonly encoder: Pick<Encoder, 'trust' | 'marker' | 'keyPrefix' | 'wire'>,
    private readonly link: NodeLink,
  ) {
    this.#bound = new TokenBound(encoder.trust, link.clock);
    this.#refusals = new Refusals(link);
    this.#info = new NodeInfo(link.clock);
  }

  get runId(): string | undefined {
    return this.#runId;
  }

  /** @see LockNode.clockAhead */
  get clockAhead(): Bounds | undefined {
    return this.#clock.ahead;
  }

  /** Resolves when the node has told of itself, and what time it has, or does not in time. */
  introduced(): Promise<void> {
    return within(EXAMINED_WITHIN, this.#introduced, this.link.clock);
  }

  /** Why nothing is asked of the node that could be sent, and nothing counts that it says. */
  get obstacle(): string | undefined {
    return this.#isIdentified ? this.#bar : 'which server it is is not known yet';
  }

  /** @see LockNode.bar */
  bar(reason: string | undefined): void {
    this.#bar = reason;
  }

  /** Starts over on a new connection: another node may be at its end. Resolves when it is known which, or that it does not say. */
  examine(redis: Redis): Promise<void> {
    const { restartQuarantine } = this.encoder.trust;
    this.run = NO_RUN;
    this.#isIdentified = false;
    const told = Promise.all([
      this.#info.ask(redis),
      redis.get(this.encoder.marker).catch(() => null),
      hasFences(redis, this.encoder.keyPrefix),
    ]);
    const examined = told.then(
      ([info, marker, isUsed]) => {
        if (this.examined !== examined) return;
        const { runId, forgetsScripts, warnings } = examine({ info, marker, isUsed }, this.encoder.trust);
        if (runId !== this.#runId) this.#clock = new NodeClock();
        this.#identify(runId);
        if (runId !== undefined && forgetsScripts) this.run = bulk(runId);
        for (const warning of warnings) this.#warn(warning);
      },
      (error: Error) => {
        // The next connection tries again.
        if (this.examined !== examined || error.name !== 'ReplyError') return;
        this.#identify(undefined);
        if (restartQuarantine) this.#warn(NO_INFO);
      },
    );
    this.examined = examined;
    // After that, since it may change what the node notes of itself.
    const sent = this.#now();
    const introduced = this.#introduce(redis);
    // Not before it is known who it is whose clock that is.
    this.#introduced = examined.then(async () => this.heard(await introduced, sent));
    return examined;
  }

  close(): void {
    this.#info.close();
  }

  #identify(runId: string | undefined): void {
    this.#runId = runId;
    this.#isIdentified = true;
    this.link.identified?.();
  }

  /** Looks at the time that comes with an answer; a clock that was set may have ended leases early. */
  heard(reply: Reply, sent: Moment | undefined): void {
    if (sent) this.#look(nodeClockOf(reply), sent);
  }

  #look(time: number | undefined, sent: Moment): void {
    const step = time === undefined ? 0 : this.#clock.note(time, sent, this.#now());
    if (step === 0 || !this.encoder.trust.restartQuarantine) return;
    this.#distrust(`its clock was set by ${Math.round(step)} ms or more: leases may have ended early`);
  }

  /** Whether a vote with this token counts that was given without having been asked for: not before `since`, and at `clock` by its own. */
  allows(token: number, since?: Moment, clock?: number): boolean {
    if (since) this.#look(clock, since);
    if (this.obstacle || (this.#setUntil !== 0 && this.#now().monotonic < this.#setUntil)) return false;
    return this.#bound.allows(token);
  }

  /** What an answer counts as, which makes a difference to votes. */
  count(answer: NodeAnswer): NodeAnswer {
    return this.#bound.count(this.#counted(answer));
  }

  /** The same for the answer to a vote, by which it is known whether the node votes at all. */
  countVote(answer: NodeAnswer): NodeAnswer {
    const counted = this.count(answer);
    this.#refusals.note(counted);
    return counted;
  }

  /** While the clock was set, or while nothing counts that it says, a vote is none. */
  #counted(answer: NodeAnswer): NodeAnswer {
    const isVote = answer.kind === 'granted';
    // The usual case, with every answer.
    if (isVote ? this.#setUntil === 0 && !this.#isOut : answer.kind !== 'quarantined') return answer;
    const left = this.#setUntil - this.#now().monotonic;
    const counted: NodeAnswer = isVote && left > 0 ? { kind: 'quarantined', remaining: Math.ceil(left) } : answer;
    if (counted.kind === 'quarantined') this.#out(NEW_OR_EMPTIED, counted.remaining);
    else if (this.#isOut) this.#back();
    return counted;
  }

  /** Makes the script known by an empty batch, which has the node checked where restarts matter, and tells what time it has. */
  #introduce(redis: Redis): Promise<Reply> {
    return new Promise((resolve) => {
      const wire = this.encoder.wire(new Batch(), 'eval');
      void redis.sendCommand(new WireCommand('eval', wire, { replied: resolve, failed: resolve }));
    });
  }

  /** For all clients, by the marker on the node; and for us until that is there. */
  #distrust(reason: string): void {
    const { marker, trust } = this.encoder;
    this.#setUntil = this.#now().monotonic + trust.maxTtl;
    this.#out(reason, trust.maxTtl);
    this.link.send('eval', commandOf('EVAL', DISTRUST, '1', marker, String(trust.maxTtl)), () => undefined);
  }

  #now(): Moment {
    return this.link.clock.now();
  }

  #out(reason: string, remaining: number): void {
    if (this.#isOut) return;
    this.#isOut = true;
    this.link.tell({ type: 'node-quarantined', reason, remaining });
  }

  #back(): void {
    this.#isOut = false;
    this.link.tell({ type: 'node-trusted' });
  }

  /** Once, however often it connects. */
  #warn(reason: string): void {
    if (this.#warned.has(reason)) return;
    this.#warned.add(reason);
    this.link.tell({ type: 'node-warning', reason });
  }
}
