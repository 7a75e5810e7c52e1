import type { Reply } from '../connection/wire/wire-command.js';
import type { Encoder } from '../batch/batch-encoder.js';
import type { NodeLink } from '../connection/node-link.js';
import { commandOf } from '../connection/wire/resp.js';
import { DISTRUST } from '../scripts/trust-script.js';

/**
 * Ms until a node that has answered with an error is told again. The pause does not grow: until the node knows it, it may vote for clients
 * that could not notice why it must not.
 */
const TELL_AGAIN_AFTER = 100;

/** The quarantine of one run of a server. */
interface Debt {
  readonly run: string | undefined;
  /** Since when the server may not vote, ms on our monotonic clock. */
  readonly since: number;
  /** Until when its votes do not count, ms on our monotonic clock. */
  readonly until: number;
  /** True while the server was told, and has not answered yet. */
  isOnItsWay: boolean;
  /** True once the server knows. */
  isKnown: boolean;
}

/**
 * The quarantine of a server of which only its clients know that it must not vote yet: its clock was set, or it has come to the address of
 * another server. It counts at once for this process, and for all others by the marker on the server. The server may accept no writes just then,
 * or the connection may break, so it is told until it has said that it knows, or until the quarantine is over.
 */
export class OwedDistrust {
  /** By run: an address may lead away and back. */
  readonly #debts = new Map<string | undefined, Debt>();
  #stopTimer = (): void => undefined;
  #isClosed = false;

  constructor(
    private readonly encoder: Pick<Encoder, 'trust' | 'marker'>,
    private readonly link: Pick<NodeLink, 'send' | 'clock'>,
    /** The run of the server to which the connection leads; undefined where it does not say. */
    private readonly currentRun: () => string | undefined,
  ) {}

  /** Whether a server may be in quarantine. This runs for every vote. */
  get isOwed(): boolean {
    return this.#debts.size > 0;
  }

  /** Ms for which the votes of the server to which the connection leads do not count. */
  get remaining(): number {
    if (!this.isOwed) return 0;
    this.#forgetOver();
    const debt = this.#debt;
    return debt ? debt.until - this.#now() : 0;
  }

  /** Begins the quarantine, or begins it again: what the server was told before says nothing of this one. */
  begin(): void {
    const [run, since] = [this.currentRun(), this.#now()];
    this.#debts.set(run, { run, since, until: since + this.encoder.trust.maxTtl, isOnItsWay: false, isKnown: false });
    this.pay();
  }

  /** Tells the server if it does not know yet; to be called as well when it can be sent something again. */
  pay(): void {
    this.#stopTimer();
    this.#forgetOver();
    const debt = this.#debt;
    if (!debt || debt.isKnown || debt.isOnItsWay || this.#isClosed) return;
    debt.isOnItsWay = true;
    this.link.send('eval', this.#commandFor(debt), (reply) => this.#answered(debt, reply));
  }

  /** Leaves no timer. */
  close(): void {
    this.#isClosed = true;
    this.#debts.clear();
    this.#stopTimer();
  }

  /** The quarantine of the present server, or one that began before the server had said which one it is. */
  get #debt(): Debt | undefined {
    return this.#debts.get(this.currentRun()) ?? this.#debts.get(undefined);
  }

  #forgetOver(): void {
    for (const { run, until } of this.#debts.values()) if (until <= this.#now()) this.#debts.delete(run);
  }

  #answered(debt: Debt, reply: Reply): void {
    debt.isOnItsWay = false;
    debt.isKnown = reply.ok;
    if (debt !== this.#debt) return;
    // Where there was no answer, the connection is away: `pay` is called when it is back.
    if (!reply.ok && reply.refused) this.#stopTimer = this.link.clock.schedule(TELL_AGAIN_AFTER, () => this.pay());
  }

  /** Says how long ago the quarantine began, so that it does not last longer because the node was told late. */
  #commandFor({ since }: Debt): string {
    const { marker, trust } = this.encoder;
    return commandOf('EVAL', DISTRUST, '1', marker, String(trust.maxTtl), String(Math.floor(this.#now() - since)));
  }

  #now(): number {
    return this.link.clock.now().monotonic;
  }
}
