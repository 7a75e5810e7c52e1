import type { Redis } from 'ioredis';
import { MAY_HAVE_FORGOTTEN } from '../engine/status.js';
import type { Clock, Moment } from '../engine/clock.js';
import type { Answer, NodeEvent, Operation } from '../engine/lock-node.js';
import { RESERVED } from '../engine/resources.js';
import { BusyRetry } from './connection/busy-retry.js';
import { nodeText, NonsenseError } from './connection/wire/node-text.js';
import { hasFences, infoOf, markerOn, readExamination } from './server-info.js';
import { type BatchOptions, NO_INFO } from './codec.js';
import { advised } from './advice.js';

/** A run that no server has: the script asks the server itself which one it is. */
const NO_RUN = '-';
/** Answers about a record that count only from a node that votes. */
const RECORD_VOTES: readonly Answer['kind'][] = ['opened', 'settled', 'peeked', 'nothing'];
/** Ms without a refusal after which a vote shows that the refusals are over: a node may refuse some requests while it grants others. */
const CALM = 1_000;

/**
 * Decides whether the votes of a node count. Three rules: the marker on the node says whether it may have forgotten locks (see the script); a clock
 * that was changed may have ended leases early; and another server at the same address knows nothing of the locks of the one before.
 */
export class NodeTrust {
  /** The run of the server that each call names, so that the script need not ask `INFO` for it; `-` if a new run may know the script. */
  run = NO_RUN;
  #runId: string | undefined;
  #isIdentified = true;
  #excluded: string | undefined;
  #nodeClock = new NodeClock();
  /** Ms on the monotonic clock: votes do not count before. */
  #distrustedUntil = -Infinity;
  /** Since when the node has to be in quarantine and has not confirmed that; undefined if there is nothing to tell. */
  #untold: Moment | undefined;
  #isOut = false;
  #refusedAt: number | undefined;
  readonly #info: BusyRetry;
  readonly #warnings: Warnings;

  constructor(
    private readonly options: BatchOptions,
    private readonly clock: Clock,
    private readonly notify: (event: NodeEvent) => void,
  ) {
    this.#info = new BusyRetry(clock);
    this.#warnings = new Warnings({ notify });
  }

  get runId(): string | undefined {
    return this.#runId;
  }

  /** Whether it votes although it has not said which server it is. */
  get isUnknown(): boolean {
    return this.#isIdentified && this.#runId === undefined && this.options.restartQuarantine;
  }

  /** Why the node is not asked although it can be reached. */
  get obstacle(): string | undefined {
    return this.#isIdentified ? this.#excluded : 'which server it is is not known yet';
  }

  get isExcluded(): boolean {
    return this.#excluded !== undefined;
  }

  exclude(reason: string | undefined): void {
    this.#excluded = reason;
  }

  /** Ms since the clock of the node was changed, if the node has to be told so. */
  get distrust(): number | undefined {
    return this.#untold && this.clock.now().monotonic - this.#untold.monotonic;
  }

  close(): void {
    this.#info.close();
  }

  /** Finds out which server a new connection leads to. Resolves also if it does not say. */
  async examine(redis: Redis): Promise<void> {
    this.run = NO_RUN;
    this.#isIdentified = false;
    const { keyPrefix } = this.options;
    try {
      const [[info, marker], isUsed] = await Promise.all([
        this.#info.ask(() => Promise.all([infoOf(redis), markerOn(redis, keyPrefix + RESERVED.node)])),
        hasFences(redis, keyPrefix),
      ]);
      const { server, forgetsScripts, warnings } = readExamination({ info, marker, isUsed }, this.options);
      this.#identify(server.run, server.hasVoted);
      if (server.run !== undefined && forgetsScripts) this.run = server.run;
      for (const warning of warnings) this.#warnings.give(warning);
    } catch (error) {
      if (error instanceof NonsenseError) redis.stream.destroy(error);
      // Otherwise the connection broke: the next one tries again.
      if ((error as Error).name !== 'ReplyError') return;
      this.#identify(undefined, false);
      if (this.options.restartQuarantine) this.#warnings.give(NO_INFO);
    }
  }

  #identify(runId: string | undefined, hasVotedElsewhere: boolean): void {
    const isAnother = this.#runId !== undefined && runId !== this.#runId;
    if (runId === undefined || runId !== this.#runId) this.#nodeClock = new NodeClock();
    if (isAnother && hasVotedElsewhere && this.options.restartQuarantine) this.#beginDistrust();
    this.#runId = runId;
    this.#isIdentified = true;
  }

  #beginDistrust(): void {
    this.#untold = this.clock.now();
    this.#distrustedUntil = this.#untold.monotonic + this.options.maxTtl;
  }

  /** Takes the clock of the node, ms, that came with an answer. */
  heard(clock: number, sent: Moment, now: Moment): void {
    const step = this.#nodeClock.note(clock, sent, now);
    if (step === 0 || !this.options.restartQuarantine) return;
    this.#beginDistrust();
    this.#out(
      `its clock was changed by ${Math.round(step)} ms, so that leases may have ended early`,
      this.options.maxTtl,
    );
  }

  /** The node has confirmed that it is in quarantine since its clock was changed. */
  told(): void {
    this.#untold = undefined;
  }

  /** Whether every vote counts, and there is nothing to report about one. */
  get isCalm(): boolean {
    return this.#distrustedUntil === -Infinity && !this.#isOut && this.#refusedAt === undefined && !this.isUnknown;
  }

  /** Returns what an answer counts as, and reports when the node ceases to vote and when it votes again. */
  count({ kind }: Pick<Operation, 'kind'>, answer: Answer): Answer {
    if (answer.kind === 'quarantined') this.#out(MAY_HAVE_FORGOTTEN, answer.remaining);
    if (kind === 'open' || kind === 'settle' || kind === 'peek') return this.#countRecord(answer);
    if (kind !== 'acquire') return answer;
    // WRONGTYPE: another program has stored a value of another type under a key, which says nothing about the node.
    if (answer.kind === 'refused' && !answer.reason.startsWith('WRONGTYPE')) this.#refused(answer.reason);
    if (answer.kind !== 'granted') return answer;
    const now = this.clock.now().monotonic;
    if (this.#distrustedUntil > now) return this.#distrusted(now);
    this.#votes(now);
    return answer;
  }

  /** A record that was found counts, and that there is none does not: it may have ended early. */
  #countRecord(answer: Answer): Answer {
    const now = this.clock.now().monotonic;
    if (this.#distrustedUntil <= now) return answer;
    if (answer.kind === 'opened' && answer.found !== undefined) return { ...answer, isQuarantined: true };
    return RECORD_VOTES.includes(answer.kind) ? this.#distrusted(now) : answer;
  }

  #distrusted(now: number): Answer {
    return { kind: 'quarantined', remaining: Math.ceil(this.#distrustedUntil - now) };
  }

  /** Whether a vote that came unasked counts. */
  get allowsVotes(): boolean {
    return this.obstacle === undefined && this.#distrustedUntil <= this.clock.now().monotonic;
  }

  #out(reason: string, remaining: number): void {
    if (this.#isOut) return;
    this.#isOut = true;
    this.notify({ type: 'node-quarantined', reason, remaining });
  }

  #refused(reason: string): void {
    const isNew = this.#refusedAt === undefined;
    this.#refusedAt = this.clock.now().monotonic;
    if (isNew) this.notify({ type: 'node-refused', reason: advised(reason) });
  }

  #votes(now: number): void {
    this.#distrustedUntil = -Infinity;
    if (this.#isOut) this.notify({ type: 'node-trusted' });
    this.#isOut = false;
    if (this.#refusedAt === undefined || now - this.#refusedAt < CALM) return;
    this.#refusedAt = undefined;
    this.notify({ type: 'node-accepted' });
  }
}

/** Ms by which two clocks may disagree although neither was set. */
const NOISE = 250;
/** The share by which the rates of two clocks may differ. */
const DRIFT = 0.01;

/** The bounds of the distance between the node's clock and one of ours, ms. */
class Distance {
  least = -Infinity;
  most = Infinity;
  #at = 0;

  /** Takes bounds of the distance at the time `at`; returns by how many ms the distance must have changed since, 0 if it need not have changed. */
  note(least: number, most: number, at: number): number {
    const drift = DRIFT * (at - this.#at);
    const gap = Math.max(least - this.most, this.least - most);
    this.#narrow(least, most, drift);
    this.#at = at;
    return gap > NOISE + drift ? gap : 0;
  }

  /**
   * Combines new bounds with those before. A slow answer has wide bounds, which leave the narrow ones of quick answers as they are; after a
   * step only the new bounds count.
   */
  #narrow(least: number, most: number, drift: number): void {
    const [highest, lowest] = [Math.max(least, this.least - drift), Math.min(most, this.most + drift)];
    const fits = highest <= lowest;
    this.least = fits ? highest : least;
    this.most = fits ? lowest : most;
  }
}

/** Finds out what time a node has, from the times that come with its answers, and whether its clock was changed: then keys may have expired early. */
export class NodeClock {
  readonly #monotonic = new Distance();
  readonly #wall = new Distance();

  /**
   * Takes the node's time, ms, from the answer to a command that was sent at `sent`; the answer was read at `read`. Returns the least ms by which
   * the node's clock was changed; 0 if no clock step is certain. Our own clocks may be changed, or stop while the machine is suspended. So a clock step
   * counts only if both of our clocks show the step.
   */
  note(time: number, sent: Moment, read: Moment): number {
    const { monotonic } = read;
    return Math.min(
      this.#monotonic.note(time - monotonic, time + 1 - sent.monotonic, monotonic),
      this.#wall.note(time - read.wall, time + 1 - sent.wall, monotonic),
    );
  }
}

/** How many warnings are remembered. */
const MOST_KEPT = 20;

/** Warns of each reason once, however often the node connects. */
export class Warnings {
  /** The oldest one comes first. */
  readonly #given = new Set<string>();

  constructor(private readonly link: { notify(event: NodeEvent): void }) {}

  give(words: string): void {
    const reason = nodeText(words);
    if (this.#given.has(reason)) return;
    this.#given.add(reason);
    const [oldest] = this.#given;
    if (this.#given.size > MOST_KEPT) this.#given.delete(oldest!);
    this.link.notify({ type: 'node-warning', reason });
  }
}

/** How many messages that nobody waits for are borne within `WINDOW` ms: callers that give up at the same moment leave many behind. */
const MOST = 10_000;
const WINDOW = 10_000;

/** Counts the messages of a node that nobody waits for: grants for callers that gave up, forged ones, and whatever else cannot be used. */
export class Strays {
  #since = -Infinity;
  #count = 0;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  get isFlood(): boolean {
    return this.#count > MOST;
  }

  count(): void {
    const now = this.clock.now().monotonic;
    if (now - this.#since >= WINDOW) [this.#since, this.#count] = [now, 0];
    this.#count += 1;
  }
}
