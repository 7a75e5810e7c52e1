import { Logger } from '@nestjs/common';
import type { Clock } from '../engine/clock.js';
import { coded, type Coded } from '../engine/codes.js';
import type { LockEvent } from '../engine/events.js';
import { quoted, shown } from '../engine/names.js';
import type { RemainingLock } from '../engine/shutdown.js';
import type { RedlockStatus } from '../engine/status.js';
import { Burst, type Limit } from './burst.js';
import { LeaderNotes } from './leader-notes.js';
import { NodeNotes } from './node-notes.js';
import { QuarantineLog } from './quarantine-log.js';
import { QuorumLog } from './quorum-log.js';
import { ReplyNotes } from './reply-notes.js';
import type { Lines } from './safe-logger.js';

/** No node has this name: it stands for the pool as a whole. */
const POOL = '';
/** How many locks one line names. */
const MOST_NAMED = 5;
/** How often a node, or the pool, may change before its changes are counted. */
const CHANGES: Limit = { most: 4, window: 10_000 };
const LOSSES: Limit = { most: 1, window: 5_000 };
const NESTED_WAITS: Limit = { most: 1, window: 60_000 };
/** How many warnings of one node are logged at once. */
const WARNINGS: Limit = { most: 10, window: 60_000 };
const REFUSALS: Limit = { most: 1, window: 1_000 };

const LEADERS: readonly LockEvent['type'][] = ['elected', 'deposed', 'term-failed'];

interface LoggedPool {
  readonly clock: Clock;
  /** How many nodes the pool has. */
  readonly nodes: number;
  readonly status: () => Promise<RedlockStatus>;
  readonly logKeys?: boolean | undefined;
}

type Event<Type extends LockEvent['type']> = Extract<LockEvent, { readonly type: Type }>;

/** Writes those events of a pool to the log that its operator should know about. */
export class EventLog {
  readonly #burst: Burst;
  readonly #quarantine: QuarantineLog;
  readonly #quorum: QuorumLog;
  readonly #notes: NodeNotes;
  readonly #replies: ReplyNotes;
  readonly #leaders: LeaderNotes;
  readonly #names: typeof shown;

  constructor(
    private readonly logger: Lines,
    { clock, nodes, status, logKeys = false }: LoggedPool,
  ) {
    this.#names = logKeys ? quoted : shown;
    this.#burst = new Burst(logger, clock);
    this.#notes = new NodeNotes(logger, clock, nodes);
    this.#replies = new ReplyNotes(this.#burst, this.#names, (text) => this.logger.warn(text));
    this.#leaders = new LeaderNotes(this.#burst);
    this.#quarantine = new QuarantineLog(logger, clock, nodes, status);
    const states = {
      log: (text: string) => this.#burst.log(POOL, CHANGES, ['log', text]),
      error: (text: Coded) => this.#burst.log(POOL, CHANGES, ['error', text]),
    };
    this.#quorum = new QuorumLog(states, clock, this.#quarantine);
  }

  notify(event: LockEvent): void {
    if (event.type === 'self-contended') this.#waitsForItself(event);
    else if (event.type === 'contended') this.#waitsForOther(event);
    else if (event.type === 'refused') this.#refused(event);
    else if (event.type === 'lost') this.#lost(event);
    else if (event.type === 'quorum-lost') this.#quorum.lost(event);
    else if (event.type === 'quorum-reached') this.#quorum.reached(event);
    else this.#notifyOfNode(event);
  }

  #notifyOfNode(event: LockEvent): void {
    if (event.type === 'node-up') this.#changed(event.node, 'is up');
    else if (event.type === 'node-down') this.#down(event);
    else if (event.type === 'node-accepted') this.#accepted(event.node);
    else if (event.type === 'node-refused') this.#refusesToVote(event);
    else if (event.type === 'node-quarantined') this.#quarantine.quarantined(event);
    else if (event.type === 'node-trusted') this.#quarantine.back(event.node);
    else if (event.type === 'node-warning') this.#warned(event);
    else if (event.type === 'hand-off-unavailable')
      this.#notes.add(
        event.node,
        coded('REDLOCK_W04', `: hand-off is off, waiters poll every retryDelay: ${event.reason}`),
      );
    else if (LEADERS.includes(event.type)) this.#leaders.notify(event);
    else this.#replies.notify(event);
  }

  /** Logs which locks the shutdown of the application waits for. */
  waits(holders: readonly RemainingLock[], timeout: number): void {
    const locks = holders.length === 1 ? '1 lock' : `${holders.length} locks`;
    const eldest = holders.toSorted((one, other) => other.held - one.held).slice(0, MOST_NAMED);
    const named = eldest.map(({ resources, held }) => `${this.#names(resources)} held for ${seconds(held)}`);
    const more = holders.length > MOST_NAMED ? [`and ${holders.length - MOST_NAMED} more`] : [];
    this.logger.log(
      `The shutdown waits for at most ${seconds(timeout)} for ${locks}: ${[...named, ...more].join(', ')}`,
    );
  }

  /** Logs what is still pending, and leaves no timer. A second call logs the locks that were lost since. */
  stop(): void {
    for (const part of [this.#notes, this.#burst, this.#quarantine, this.#quorum]) part.stop();
  }

  // ---------------------------------------------------------------------------------------------------------------- locks

  #waitsForItself({ resources, holding }: Event<'self-contended'>): void {
    const [wanted, held] = [this.#names(resources), this.#names(holding)];
    const words =
      `${held} is already held by this call. The nested call for ${wanted} waits for its own caller until waitTimeout. Take the lock ` +
      'once, or set reentrant: true on the inner call (withLock, @WithLock). A job of a queue that was started under the lock just ' +
      'waits for the release.';
    const text = coded('REDLOCK_W09', words);
    this.#burst.log(text, NESTED_WAITS, ['warn', text]);
  }

  #waitsForOther({ resources, holding }: Event<'contended'>): void {
    if (holding === undefined) return;
    const [wanted, held] = [this.#names(resources), this.#names(holding)];
    const words =
      `A call that holds ${held} waits for ${wanted}. If the holder of that waits for ${held}, neither goes on until waitTimeout: a ` +
      `deadlock. Take both in one call: withLock([${this.#names([...holding, ...resources])}], ...).`;
    const text = coded('REDLOCK_W09', words);
    this.#burst.log(text, NESTED_WAITS, ['warn', text]);
  }

  /** For those who debug: which calls were refused because of another holder, and who that is. */
  #refused({ code, resources, cause }: Event<'refused'>): void {
    if (code !== 'RESOURCE_LOCKED' || !Logger.isLevelEnabled('debug')) return;
    const text = `Refused: a call for ${this.#names(resources)}, held by ${cause?.holder ?? 'an unknown process'}`;
    this.#burst.log(text, REFUSALS, ['debug', text]);
  }

  #lost({ error }: Event<'lost'>): void {
    const text = `The lock on ${this.#names(error.resources)} was lost: ${error.why}`;
    this.#burst.log('lost', LOSSES, ['error', coded('REDLOCK_W08', text)]);
  }

  // ---------------------------------------------------------------------------------------------------------------- nodes

  #accepted(node: string): void {
    // What was said about the node before has to come first.
    this.#notes.logAll();
    this.#changed(node, 'votes again');
  }

  #warned({ node, reason }: Event<'node-warning'>): void {
    const words = coded('REDLOCK_W03', `: ${reason}`);
    this.#burst.count(`warnings of ${node}`, WARNINGS, ['warn', `${node}${words}`], () => this.#notes.add(node, words));
  }

  /** Several nodes often refuse for the same reason, and get one line. */
  #refusesToVote({ node, reason }: Event<'node-refused'>): void {
    const words = coded('REDLOCK_W02', ` refuses to vote: ${reason}`);
    this.#burst.count(node, CHANGES, ['warn', `${node}${words}`], () => this.#notes.add(node, words));
  }

  #down({ node, reason }: Event<'node-down'>): void {
    this.#burst.log(node, CHANGES, ['warn', coded('REDLOCK_W01', `${node} is down: ${reason}`)]);
  }

  #changed(node: string, words: string): void {
    this.#burst.log(node, CHANGES, ['log', `${node} ${words}`]);
  }
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1_000)} s`;
}
