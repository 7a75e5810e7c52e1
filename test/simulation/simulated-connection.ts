import { Aside } from '../../lib/core/aside.js';
import { Claim } from '../../lib/core/claim.js';
import type { Question, Unknown } from '../../lib/core/lock-node.js';
import { AskingNode, type Verb } from './asking-node.js';
import { Channel } from './channel.js';
import { GivenBack } from './given-back.js';
import { Grants } from './grants.js';
import { InFlight, type Waiting } from './in-flight.js';
import type { Machine } from './machine.js';
import { Owed } from './owed.js';
import { Pipe, type Link } from './pipe.js';
import { sentClaim } from './sent-claim.js';
import { Silence } from './silence.js';
import type { SimulatedNode } from './simulated-node.js';
import { Violation } from './violation.js';
import type { Weakness } from './weakness.js';
import type { World } from './world.js';

export interface ConnectionTerms {
  readonly machine: Machine;
  readonly node: SimulatedNode;
  readonly link: Link;
  readonly weakness: Weakness | undefined;
}

interface Command extends Waiting {
  /** The how manyth of this connection it is. */
  readonly order: number;
  readonly verb: Verb;
  readonly question: Question<unknown>;
}

/** What lib/redis is to a Redis: the way of one client to one node, with the same promises about order and breaks. */
export class SimulatedConnection extends AskingNode {
  readonly #owed: Owed;
  readonly #grants = new Grants();
  readonly #channel = new Channel((claim, fence) => this.#heardOfGrant(claim, fence));
  #pipe: Pipe | undefined;
  readonly #inFlight: InFlight<Command>;
  /** What a connection that replays sends again. */
  readonly #unanswered: Command[] = [];
  readonly #silence: Silence;
  #isClosed = false;
  readonly #givenBack = new GivenBack();
  #orders = 0;

  constructor(
    private readonly world: World,
    private readonly terms: ConnectionTerms,
  ) {
    super();
    this.#owed = new Owed(terms.machine);
    this.#inFlight = new InFlight(terms.machine);
    this.#silence = new Silence(terms.machine, this.#inFlight, () => this.break('silent for too long'));
    this.#connect();
  }

  get name(): string {
    return this.terms.node.name;
  }

  get link(): Link {
    return this.terms.link;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.break('the pool was closed');
  }

  /** The connection ends; a new one is tried until it is there. */
  break(reason = 'connection closed'): void {
    if (!this.#pipe) return;
    this.#pipe.cut();
    this.#pipe = undefined;
    const open = this.#inFlight.end();
    if (this.terms.weakness === 'replaying connections') this.#unanswered.push(...open);
    if (this.terms.machine.isDead) return;
    for (const { settle } of open) settle({ kind: 'unknown', reason, sent: true } as Unknown);
    this.#reconnectLater();
  }

  protected ask<A>(verb: Verb, question: Question<A>, seat: number): boolean {
    const settle = (answer: { readonly kind: string }): void => {
      this.#note(verb, question, answer.kind);
      question.answer(seat, answer as A);
    };
    const reason = this.#obstacle();
    if (reason === undefined)
      this.#send({ since: this.terms.machine.now(), order: (this.#orders += 1), verb, question, settle });
    else queueMicrotask(() => settle({ kind: 'unknown', reason, sent: false } as Unknown));
    return reason === undefined;
  }

  #send(command: Command): void {
    const pipe = this.#pipe!;
    const { verb, question, order } = command;
    const { ttl, proposal } = question;
    const claim = sentClaim(question.claim, this.#channel);
    this.#inFlight.add(command);
    pipe.send(() => {
      const { node } = this.terms;
      if (verb === 'acquire' || verb === 'yield') this.#checkGivenBack(claim.value, order);
      if (verb === 'release') {
        this.#givenBack.released(claim.value, order);
        node.beforeRelease(claim.resources, claim.value);
      }
      const answer = (_seat: number, given: { readonly kind: string }): void => {
        this.world.note(() => `${this.name} ${verb} ${claim.value}: ${JSON.stringify(given)}`);
        pipe.reply(() => this.#answered(command, given));
      };
      node.memory[verb]({ claim, ttl, proposal, answer }, 0);
    });
  }

  #answered(command: Command, answer: { readonly kind: string }): void {
    this.#inFlight.answer(command, answer);
    if (this.#silence.isOver) this.#usable();
  }

  #heardOfGrant({ resources, value }: Claim, fence: number): void {
    const claim = this.#grants.find(value);
    const since = this.#inFlight.lastAnswered;
    const { machine } = this.terms;
    this.world.note(
      () =>
        `${machine.name} hears that ${this.name} gave ${resources.join()} to ${value}${claim ? (since ? '' : ', too early to count') : ', which is not wanted'}`,
    );
    if (!claim) this.release(new Aside(new Claim(resources, value), 0), 0);
    else if (since) claim.ticket!.granted(this.name, { since, fence });
  }

  /** Keeps in mind which claims wait for grants, and which releases are owed. */
  #note(verb: Verb, { claim, ttl }: Question<unknown>, answer: string): void {
    // An answer that was lost may have been that it stands in line.
    const isLost = answer === 'unknown' && this.terms.weakness !== 'forgotten places';
    const mayWait = isLost ? verb === 'acquire' || verb === 'yield' : answer === 'held' || answer === 'passed';
    if (claim.ticket && mayWait) this.#grants.expect(claim);
    if (verb !== 'release') return;
    this.#grants.forget(claim);
    if (answer === 'unknown' && claim.mayBeOn(this)) this.#owed.add(claim, ttl);
  }

  /** Why nothing can be sent now. */
  #obstacle(): string | undefined {
    this.#silence.look();
    if (!this.#pipe) return 'not connected';
    return this.#silence.isNoticed ? 'silent' : undefined;
  }

  #connect(): void {
    const { machine, node, link } = this.terms;
    this.#pipe = new Pipe(this.world, { machine, node, link });
    this.#channel.listen(this.#pipe);
    this.#usable();
  }

  #usable(): void {
    this.#silence.isNoticed = false;
    for (const [claim, left] of this.#owed.take()) {
      // Whoever followed has asked long ago: what is given back now serves the line.
      claim.followed = false;
      this.release(new Aside(claim, left), 0);
    }
    for (const command of this.#unanswered.splice(0)) this.#send({ ...command, settle: ignore });
  }

  #reconnectLater(): void {
    const { machine, node, link } = this.terms;
    const attempt = (): void => {
      if (this.#isClosed || this.#pipe) return;
      const isBlocked = Math.max(link.requestsBlockedUntil, link.repliesBlockedUntil) > this.world.now;
      if (node.answers && !isBlocked) this.#connect();
      else this.#reconnectLater();
    };
    if (this.#isClosed || machine.isDead) return;
    const { dice } = this.world;
    this.world.in(dice.between(1, dice.pick([5, 40])), () => machine.take(attempt));
  }

  /** What is under way when a connection breaks may come late; nothing else may. */
  #checkGivenBack(value: string, order: number): void {
    if (this.link.zombies || !this.#givenBack.isTooLate(value, order)) return;
    const detail = `${this.name} is asked again for ${value}, which was given back`;
    this.world.fail(new Violation('given back stays away', detail));
  }
}

function ignore(): void {
  // It was answered when the connection broke.
}
