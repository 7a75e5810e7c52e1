import type { Redis } from 'ioredis';
import { systemClock, type Moment } from '../core/clock.js';
import type { Granted, NodeEvent, ProbeAnswer, Quarantined } from '../core/lock-node.js';
import { NO_INFO, nodeClockOf, quarantineOf } from './answers.js';
import { NO_RUN, type BatchEncoder } from './batch-encoder.js';
import { BATCH_SCRIPT } from './batch-script.js';
import { Batch } from './batch.js';
import { examine } from './examination.js';
import { NodeClock } from './node-clock.js';
import { bulk, commandOf } from './resp.js';
import { DISTRUST } from './trust-script.js';
import { WireCommand, type Reply } from './wire-command.js';

/** What the trust in a node needs of it. */
interface NodeLink {
  tell(event: NodeEvent): void;
  send(name: string, wire: string, settle: (reply: Reply) => void): void;
}

const NEW_OR_EMPTIED = 'it is new, or was restarted, emptied or set back, and may have forgotten locks';

/** Whether a node may vote: what its answers say of it, what its clock says, and what it tells of itself. */
export class NodeTrust {
  /** Resolves when the node has told of itself, or could not. */
  examined: Promise<void> = Promise.resolve();
  /** Which run of the node this connection leads to, as a word for a batch. */
  run = NO_RUN;
  #runId: string | undefined;
  #clock = new NodeClock();
  #isOut = false;
  /** Until when, on our monotonic clock, its votes do not count, because its clock was set. */
  #setUntil = 0;
  readonly #warned = new Set<string>();

  constructor(
    private readonly encoder: BatchEncoder,
    private readonly link: NodeLink,
  ) {}

  get runId(): string | undefined {
    return this.#runId;
  }

  /** Begins anew on a new connection: another node may be at its end. */
  examine(redis: Redis): void {
    const { maxTtl, restartQuarantine } = this.encoder.trust;
    this.run = NO_RUN;
    const told = Promise.all([redis.info(), redis.get(this.encoder.marker).catch(() => null)]);
    const examined = told.then(
      ([info, marker]) => {
        const { runId, forgetsScripts, warnings } = examine(info, marker, maxTtl);
        if (runId !== this.#runId) this.#clock = new NodeClock();
        this.#runId = runId;
        if (runId !== undefined && forgetsScripts && this.examined === examined) this.run = bulk(runId);
        for (const warning of warnings) this.#warn(warning);
      },
      (error: Error) => {
        if (restartQuarantine && error.name === 'ReplyError') this.#warn(NO_INFO);
      },
    );
    this.examined = examined;
    // After that, since it may change what the node notes of itself.
    this.#introduce(redis);
  }

  /** Looks at the time that comes with an answer; a clock that was set may have ended leases early. */
  heard(reply: Reply, sent: Moment | undefined): void {
    if (!this.encoder.trust.restartQuarantine || sent === undefined) return;
    const time = nodeClockOf(reply);
    const step = time === undefined ? 0 : this.#clock.note(time, sent, systemClock.now());
    if (step > 0) this.#distrust(`its clock was set by ${Math.round(step)} ms or more: leases may have ended early`);
  }

  /** False while votes do not count, because the clock was set. */
  get counts(): boolean {
    return this.#setUntil === 0 || performance.now() >= this.#setUntil;
  }

  /** What a vote counts as. */
  count(answer: Granted | Quarantined): Granted | Quarantined {
    // The usual case, with every vote.
    if (answer.kind === 'granted' && this.#setUntil === 0 && !this.#isOut) return answer;
    const left = this.#setUntil - performance.now();
    const counted: Granted | Quarantined =
      answer.kind === 'granted' && left > 0 ? { kind: 'quarantined', remaining: Math.ceil(left) } : answer;
    if (counted.kind === 'quarantined') this.#out(NEW_OR_EMPTIED, counted.remaining);
    else if (this.#isOut) this.#back();
    return counted;
  }

  /** What the answer to an empty batch says. */
  probed(reply: Reply): ProbeAnswer {
    if (!reply.ok) return { kind: 'unknown', reason: reply.reason, sent: reply.sent };
    const left = Math.ceil(this.#setUntil - performance.now());
    const remaining = this.encoder.trust.restartQuarantine ? quarantineOf(reply)! || Math.max(0, left) : 0;
    if (remaining < 0) return { kind: 'unknown', reason: NO_INFO, sent: true };
    if (remaining > 0) {
      this.#out(NEW_OR_EMPTIED, remaining);
      return { kind: 'quarantined', remaining };
    }
    if (this.#isOut) this.#back();
    return { kind: 'up' };
  }

  /** Makes the script known; where restarts matter, not without the node being checked in the same call. */
  #introduce(redis: Redis): void {
    if (this.encoder.trust.restartQuarantine) {
      void redis.sendCommand(new WireCommand('eval', this.encoder.wire(new Batch(), 'eval'), { replied: ignore }));
    } else redis.call('SCRIPT', 'LOAD', BATCH_SCRIPT).catch(ignore);
  }

  /** For all clients, by the marker on the node; and for us until that is there. */
  #distrust(reason: string): void {
    const { maxTtl } = this.encoder.trust;
    this.#setUntil = performance.now() + maxTtl;
    this.#out(reason, maxTtl);
    const wire = commandOf('EVAL', DISTRUST, '1', this.encoder.marker, String(maxTtl));
    this.link.send('eval', wire, () => undefined);
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

function ignore(): void {
  // A node that does not know the script is sent its text.
}
