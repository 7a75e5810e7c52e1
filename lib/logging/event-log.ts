import type { Logger } from '@nestjs/common';
import type { LockEvent } from '../core/api/events.js';
import { quoted, shown } from '../core/api/names.js';
import type { Holder } from '../core/lease/shutdown.js';
import { LossLog } from './loss-log.js';
import { NodeNotes } from './node-notes.js';
import { QuarantineLog, type QuarantineLogTerms } from './quarantine-log.js';
import { QuorumLog } from './quorum-log.js';
import { SelfContentionLog } from './self-contention-log.js';

/** How many locks one line names. */
const MOST_NAMED = 5;

interface EventLogTerms extends QuarantineLogTerms {
  readonly logKeys?: boolean | undefined;
}

/** Writes those events of a pool to the log that its operator should know about. */
export class EventLog {
  readonly #selfContention: SelfContentionLog;
  readonly #losses: LossLog;
  readonly #quarantine: QuarantineLog;
  readonly #quorum: QuorumLog;
  readonly #notes: NodeNotes;
  readonly #names: typeof shown;

  constructor(
    private readonly logger: Logger,
    { logKeys = false, ...pool }: EventLogTerms,
  ) {
    const { clock } = pool;
    this.#names = logKeys ? quoted : shown;
    this.#selfContention = new SelfContentionLog(logger, { names: this.#names, clock });
    this.#losses = new LossLog(logger, { names: this.#names, clock });
    this.#notes = new NodeNotes(logger, pool);
    this.#quarantine = new QuarantineLog(logger, pool);
    this.#quorum = new QuorumLog(logger, { clock, quarantine: this.#quarantine });
  }

  notify(event: LockEvent): void {
    if (event.type === 'self-contended') this.#selfContention.notify(event.resources, event.holding);
    else if (event.type === 'lost') this.#losses.lost(event.error);
    else if (event.type === 'node-up') this.logger.log(`${event.node} is up`);
    else if (event.type === 'node-accepted') this.#accepted(event.node);
    else if (event.type === 'node-quarantined') this.#quarantine.quarantined(event);
    else if (event.type === 'node-trusted') this.#quarantine.back(event.node);
    else if (event.type === 'quorum-lost') this.#quorum.lost(event);
    else if (event.type === 'quorum-reached') this.#quorum.reached(event);
    else if (event.type === 'node-down') this.logger.warn(`${event.node} is down: ${event.reason}`);
    else this.#note(event);
  }

  /** Logs which locks the shutdown of the application waits for. */
  waits(holders: readonly Holder[], timeout: number): void {
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
    this.#losses.stop();
    this.#notes.stop();
    this.#quarantine.stop();
    this.#quorum.stop();
  }

  /** Logs what is often the same for several nodes, as one line for all of them. */
  #note(event: LockEvent): void {
    if (event.type === 'node-refused') this.#notes.add(event.node, ` refuses to vote: ${event.reason}`);
    else if (event.type === 'node-warning') this.#notes.add(event.node, `: ${event.reason}`);
    else if (event.type === 'hand-off-unavailable')
      this.#notes.add(event.node, ` cannot tell waiters that it is their turn, so they ask: ${event.reason}`);
  }

  #accepted(node: string): void {
    // What was said about the node before has to come first.
    this.#notes.logAll();
    this.logger.log(`${node} votes again`);
  }
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1_000)} s`;
}
