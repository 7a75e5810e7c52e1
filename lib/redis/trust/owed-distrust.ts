import type { Reply } from '../connection/wire/wire-command.js';
import type { Encoder } from '../batch/batch-encoder.js';
import type { NodeLink } from '../connection/node-link.js';
import { commandOf } from '../connection/wire/resp.js';
import { DISTRUST } from '../scripts/trust-script.js';

/**
 * Ms until a node that has answered with an error is told again. The pause does not grow: until the node knows it, it may vote for clients
 * that could not notice that its clock was set.
 */
const TELL_AGAIN_AFTER = 100;

interface Debt {
  /** The run of the server whose clock was set. */
  readonly run: string | undefined;
  /** When the clock was found to be set, ms on our monotonic clock. */
  readonly since: number;
  /** True while the node was told, and has not answered yet. */
  isOnItsWay: boolean;
}

/**
 * The quarantine of a node whose clock was set: at once for this process, and for all others by the marker on the node. The node may accept no
 * writes just then, or the connection may break, so it is told until it has said that it knows, or until the quarantine is over.
 */
export class OwedDistrust {
  /** Until when the votes of the node do not count, ms on our monotonic clock; 0 if its clock never was set. */
  #until = 0;
  #debt: Debt | undefined;
  #stopTimer = (): void => undefined;
  #isClosed = false;

  constructor(
    private readonly encoder: Pick<Encoder, 'trust' | 'marker'>,
    private readonly link: Pick<NodeLink, 'send' | 'clock'>,
    /** The run of the server to which the connection leads; undefined where it does not say. */
    private readonly currentRun: () => string | undefined,
  ) {}

  /** Ms for which the votes of the node do not count. */
  get remaining(): number {
    // The usual case comes first, because this runs for every grant.
    return this.#until === 0 ? 0 : Math.max(0, this.#until - this.#now());
  }

  /** Begins the quarantine, or begins it again: what the node was told before says nothing of this step of its clock. */
  begin(): void {
    const since = this.#now();
    this.#until = since + this.encoder.trust.maxTtl;
    this.#debt = { run: this.currentRun(), since, isOnItsWay: false };
    this.pay();
  }

  /** Tells the server if it is this run of it that does not know yet; to be called as well when it can be sent something again. */
  pay(): void {
    this.#stopTimer();
    const debt = this.#debt;
    if (!debt || debt.run !== this.currentRun() || debt.isOnItsWay || this.#isClosed) return;
    if (this.remaining === 0) return this.#forgive();
    debt.isOnItsWay = true;
    this.link.send('eval', this.#commandFor(debt), (reply) => this.#answered(debt, reply));
  }

  /** Tells the node no more: it knows, or its quarantine is over. */
  #forgive(): void {
    this.#debt = undefined;
    this.#stopTimer();
  }

  /** Leaves no timer. */
  close(): void {
    this.#isClosed = true;
    this.#forgive();
  }

  #answered(debt: Debt, reply: Reply): void {
    if (debt !== this.#debt) return;
    debt.isOnItsWay = false;
    if (reply.ok) this.#forgive();
    // Where there was no answer, the connection is away: `pay` is called when it is back.
    else if (reply.refused) this.#stopTimer = this.link.clock.schedule(TELL_AGAIN_AFTER, () => this.pay());
  }

  /** Says how long ago the step was noticed, so that the quarantine does not last longer because the node was told late. */
  #commandFor({ since }: Debt): string {
    const { marker, trust } = this.encoder;
    return commandOf('EVAL', DISTRUST, '1', marker, String(trust.maxTtl), String(Math.floor(this.#now() - since)));
  }

  #now(): number {
    return this.link.clock.now().monotonic;
  }
}
