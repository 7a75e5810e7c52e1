import type { Claim } from '../../core/port/claim.js';
import type { Moment } from '../../core/time/clock.js';
import type { Question } from '../../core/port/lock-node.js';
import type { Verb } from '../scripts/protocol.js';
import { isForOne, isRelease, isVote, isWait, mayServe } from './verbs.js';

/** Returns how many keys an operation counts for in the work of a node: a release that serves a waiter is twice the work. */
export function weightOf(verb: Verb, keyCount: number): number {
  return mayServe(verb) ? 2 * keyCount : keyCount;
}

/** Operations that go to a node as one script call, in order. */
export class Batch {
  verbs: Verb[] = [];
  questions: Question<unknown>[] = [];
  nodeIndexes: number[] = [];
  /** Whether an operation asks for a vote, so that the node has to say whether it would vote. */
  asksForVotes = false;
  /** When it was sent last. */
  sent: Moment | undefined;
  #keyCount = 0;
  #weight = 0;
  #length = 0;

  get keyCount(): number {
    return this.#keyCount;
  }

  /** How many keys its operations count for. */
  get weight(): number {
    return this.#weight;
  }

  /** How many characters the names have: roughly the length on the wire. */
  get length(): number {
    return this.#length;
  }

  add(verb: Verb, question: Question<never>, nodeIndex: number): void {
    const { resources } = question.claim;
    // One key too many would shift the keys of all operations behind it.
    if (resources.length > 1 && isForOne(verb))
      throw new Error(`${verb} is for one resource, not for ${resources.length}`);
    this.asksForVotes ||= isVote(verb);
    this.verbs.push(verb);
    this.questions.push(question);
    this.nodeIndexes.push(nodeIndex);
    this.#keyCount += resources.length;
    this.#weight += weightOf(verb, resources.length);
    for (const resource of resources) this.#length += resource.length;
  }

  /** Returns whether both batches ask the same, which is usual for the batches of one turn to different nodes. */
  isLike({ verbs, questions }: Batch): boolean {
    if (questions.length !== this.questions.length) return false;
    for (let index = 0; index < questions.length; index += 1) {
      if (questions[index] !== this.questions[index] || verbs[index] !== this.verbs[index]) return false;
    }
    return true;
  }

  /** Returns the claim that asks under this value for a place in the line of a resource. */
  waiter(value: string, resource: string): Claim | undefined {
    const asks = ({ claim }: Question<unknown>): boolean => claim.value === value && claim.resources[0] === resource;
    return this.questions.find((question, at) => asks(question) && isWait(this.verbs[at]!))?.claim;
  }

  /** Returns whether an operation asks under this value for a vote on a resource. */
  asksFor(value: string, resource: string): boolean {
    const asks = ({ claim }: Question<unknown>): boolean => claim.value === value && claim.resources.includes(resource);
    return this.questions.some((question, at) => isVote(this.verbs[at]!) && asks(question));
  }

  /** Returns the releases of the batch, and the rest. */
  split(): { readonly releases: Batch; readonly rest: Batch } {
    const [releases, rest] = [new Batch(), new Batch()];
    this.questions.forEach((question, index) => {
      const verb = this.verbs[index]!;
      (isRelease(verb) ? releases : rest).add(verb, question, this.nodeIndexes[index]!);
    });
    return { releases, rest };
  }
}
