import type { Claim } from '../../core/port/claim.js';
import type { Moment } from '../../core/time/clock.js';
import type { Question } from '../../core/port/lock-node.js';

/**
 * The letters of the batch script: acquire, and wait in line where it is held; extend; release, and leave the line, also
 * where the next operation serves it; yield; lift the fence counter; keep for so long and no longer. Small letters are for several resources.
 */
export type Verb = 'A' | 'W' | 'E' | 'F' | 'K' | 'R' | 'L' | 'S' | 'Y' | 'a' | 'e' | 'f' | 'k' | 'r' | 's';

/** Whether it asks for a vote; with every operation, so without looking it up. */
export function isVote(verb: Verb): boolean {
  return verb === 'W' || verb === 'A' || verb === 'a';
}

const WAITS: ReadonlySet<Verb> = new Set(['W', 'Y']);
const RELEASES: ReadonlySet<Verb> = new Set(['R', 'L', 'S', 'r', 's']);

export function isRelease(verb: Verb): boolean {
  return RELEASES.has(verb);
}

/** Operations that go to a node as one script call, in order. */
export class Batch {
  verbs: Verb[] = [];
  questions: Question<unknown>[] = [];
  nodeIndexes: number[] = [];
  /** Whether it is to be told if the node would vote. */
  asksForVotes = false;
  /** When it was sent last. */
  sent: Moment | undefined;
  #keyCount = 0;
  #length = 0;

  get keyCount(): number {
    return this.#keyCount;
  }

  /** Characters of its names: roughly what it takes on the wire. */
  get length(): number {
    return this.#length;
  }

  add(verb: Verb, question: Question<never>, nodeIndex: number): void {
    const { resources } = question.claim;
    // One key too many would shift those of all operations behind it.
    if (resources.length > 1 && verb < 'a') throw new Error(`${verb} is for one resource, not for ${resources.length}`);
    this.asksForVotes ||= isVote(verb);
    this.#push(verb, question, nodeIndex);
    this.#keyCount += resources.length;
    for (const resource of resources) this.#length += resource.length;
  }

  /** Whether it asks the same as another one: what is put to all nodes usually does. */
  isLike({ verbs, questions }: Batch): boolean {
    if (questions.length !== this.questions.length) return false;
    for (let index = 0; index < questions.length; index += 1) {
      if (questions[index] !== this.questions[index] || verbs[index] !== this.verbs[index]) return false;
    }
    return true;
  }

  /** The claim that asks under this value for a place in the line of a resource. */
  waiter(value: string, resource: string): Claim | undefined {
    const asks = ({ claim }: Question<unknown>): boolean => claim.value === value && claim.resources[0] === resource;
    return this.questions.find((question, at) => asks(question) && WAITS.has(this.verbs[at]!))?.claim;
  }

  /** V8 makes room for seventeen where something is pushed to an empty list; many batches have one operation. */
  #push(verb: Verb, question: Question<unknown>, nodeIndex: number): void {
    if (this.verbs.length === 0) {
      this.verbs = [verb];
      this.questions = [question];
      this.nodeIndexes = [nodeIndex];
    } else {
      this.verbs.push(verb);
      this.questions.push(question);
      this.nodeIndexes.push(nodeIndex);
    }
  }

  /** Its releases, and what is not one. */
  split(): { readonly releases: Batch; readonly rest: Batch } {
    const [releases, rest] = [new Batch(), new Batch()];
    this.questions.forEach((question, index) => {
      const verb = this.verbs[index]!;
      (isRelease(verb) ? releases : rest).add(verb, question, this.nodeIndexes[index]!);
    });
    return { releases, rest };
  }
}
