import type { Logger } from '@nestjs/common';
import type { LockEvent } from '../engine/events.js';
import { quoted, shown } from '../engine/names.js';
import type { RemainingLock } from '../engine/shutdown.js';
import { FlapLog, type StateLine } from './flap-log.js';
import { LossLog } from './loss-log.js';
import { NestedWaitLog } from './nested-wait-log.js';
import { NodeNotes } from './node-notes.js';
import { QuarantineLog, type QuarantineLogTerms } from './quarantine-log.js';
import { QuorumLog } from './quorum-log.js';
import { RefusalLog } from './refusal-log.js';

/** No node has this name: it stands for the pool as a whole. */
const POOL = '';
/** How many locks one line names. */
const MOST_NAMED = 5;

interface EventLogTerms extends QuarantineLogTerms {
  readonly logKeys?: boolean | undefined;
}

/** Writes those events of a pool to the log that its operator should know about. */
export class EventLog {
  readonly #nestedWaits: NestedWaitLog;
  readonly #losses: LossLog;
  readonly #refusals: RefusalLog;
  readonly #quarantine: QuarantineLog;
  readonly #quorum: QuorumLog;
  readonly #notes: NodeNotes;
  readonly #flaps: FlapLog;
  readonly #names: typeof shown;

  constructor(
    private readonly logger: Logger,
    { logKeys = false, ...pool }: EventLogTerms,
  ) {
    const { clock } = pool;
    this.#names = logKeys ? quoted : shown;
    this.#nestedWaits = new NestedWaitLog(logger, { names: this.#names, clock });
    this.#losses = new LossLog(logger, { names: this.#names, clock });
    this.#refusals = new RefusalLog(logger, { names: this.#names, clock });
    this.#notes = new NodeNotes(logger, pool);
    this.#quarantine = new QuarantineLog(logger, pool);
    this.#flaps = new FlapLog(logger, clock);
    const states = {
      log: (text: string) => this.#changed({ of: POOL, level: 'log', text }),
      error: (text: string) => this.#changed({ of: POOL, level: 'error', text }),
    };
    this.#quorum = new QuorumLog(states, { clock, quarantine: this.#quarantine });
  }

  notify(event: LockEvent): void {
    if (event.type === 'self-contended') this.#nestedWaits.waitsForItself(event.resources, event.holding);
    else if (event.type === 'contended') this.#contended(event);
    else if (event.type === 'refused') this.#refusals.refused(event);
    else if (event.type === 'lost') this.#losses.lost(event.error);
    else if (event.type === 'node-up') this.#changed(stateOf(event.node, 'log', ' is up'));
    else if (event.type === 'node-accepted') this.#accepted(event.node);
    else if (event.type === 'node-quarantined') this.#quarantine.quarantined(event);
    else if (event.type === 'node-trusted') this.#quarantine.back(event.node);
    else if (event.type === 'quorum-lost') this.#quorum.lost(event);
    else if (event.type === 'quorum-reached') this.#quorum.reached(event);
    else if (event.type === 'node-down') this.#changed(stateOf(event.node, 'warn', ` is down: ${event.reason}`));
    else if (event.type === 'node-refused') this.#refused(event.node, ` refuses to vote: ${event.reason}`);
    else this.#note(event);
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
    for (const part of [this.#losses, this.#refusals, this.#notes, this.#flaps, this.#quarantine, this.#quorum])
      part.stop();
  }

  /** Logs what is often the same for several nodes, as one line for all of them. */
  #note(event: LockEvent): void {
    if (event.type === 'node-warning') this.#notes.add(event.node, `: ${event.reason}`);
    else if (event.type === 'hand-off-unavailable')
      this.#notes.add(event.node, `: hand-off is off, waiters poll every retryDelay: ${event.reason}`);
  }

  #contended({ resources, holding }: Extract<LockEvent, { type: 'contended' }>): void {
    if (holding) this.#nestedWaits.waitsForOther(resources, holding);
  }

  #accepted(node: string): void {
    // What was said about the node before has to come first.
    this.#notes.logAll();
    this.#changed(stateOf(node, 'log', ' votes again'));
  }

  #refused(node: string, words: string): void {
    if (this.#flaps.passes(stateOf(node, 'warn', words))) this.#notes.add(node, words);
  }

  #changed(line: StateLine): void {
    if (this.#flaps.passes(line)) this.logger[line.level](line.text);
  }
}

function stateOf(node: string, level: StateLine['level'], words: string): StateLine {
  return { of: node, level, text: `${node}${words}` };
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1_000)} s`;
}
