import { SingleCall } from '../../../lib/core/port/single-call.js';
import { Claim, type Grant, type Place } from '../../../lib/core/port/claim.js';
import type { LockNode } from '../../../lib/core/port/lock-node.js';
import type { NodeAnswer } from '../../../lib/redis/batch/reply-decoder.js';
import type { ClaimPlan, Operation } from './sequence.js';
import type { Echo, Told } from './side.js';

type Answer = Echo['answers'][number];

/** The claims of a sequence as one of the nodes gets to know them, and what comes back for them. */
export class Asker {
  readonly #claims: readonly Claim[];
  #answers: Promise<Answer>[] = [];
  #told: Told[] = [];
  #answered = 0;

  constructor(
    private readonly plans: readonly ClaimPlan[],
    /** Microseconds when the run began. */
    private readonly epoch: number,
  ) {
    this.#claims = plans.map((plan, index) => this.#claimOf(plan, index));
  }

  claim(index: number): Claim {
    return this.#claims[index]!;
  }

  /** Puts one question to a node. */
  ask(node: LockNode, operation: Operation): void {
    const nodeIndex = this.#answers.length;
    this.#answers.push(
      new Promise((resolve) => {
        const question = new Question(this.claim(operation.claim), operation.ttl, (at, answer) => {
          this.#answered += 1;
          resolve({ ...answer, nodeIndex: at });
        });
        question.tokens = this.plans[operation.claim]!.tokens;
        if (operation.proposal !== undefined) question.proposal = this.epoch + operation.proposal;
        put(node, operation, question, nodeIndex);
      }),
    );
  }

  /** All answers to what was asked since the last call. */
  async answers(): Promise<Answer[]> {
    const answers = await Promise.all(this.#answers);
    this.#answers = [];
    this.#answered = 0;
    return answers;
  }

  /** What waiters were told since the last call. */
  takeTold(): Told[] {
    const told = this.#told;
    this.#told = [];
    return told;
  }

  #claimOf(plan: ClaimPlan, index: number): Claim {
    return new Claim(plan.resources, plan.value, this.#placeOf(plan, index));
  }

  #placeOf({ process, place }: ClaimPlan, claim: number): Place | undefined {
    if (!place) return undefined;
    const granted = (_node: string, { fence, oldest }: Grant): void =>
      void this.#told.push({ process, claim, fence, oldest, after: this.#answered });
    return { ...place, isWaiting: true, granted };
  }
}

class Question extends SingleCall<NodeAnswer> {
  mayShorten = false;
  isFollowed = false;

  constructor(
    claim: Claim,
    ttl: number,
    private readonly told: (nodeIndex: number, answer: NodeAnswer) => void,
  ) {
    super(claim, ttl);
  }

  override answer(nodeIndex: number, answer: NodeAnswer): void {
    this.told(nodeIndex, answer);
  }
}

function put(node: LockNode, { verb }: Operation, question: Question, nodeIndex: number): void {
  question.mayShorten = verb === 'keep';
  question.isFollowed = verb === 'leave to the next';
  if (verb === 'acquire') node.acquire(question, nodeIndex);
  else if (verb === 'yield') node.yield(question, nodeIndex);
  else if (verb === 'raise') node.raise(question, nodeIndex);
  else if (verb === 'extend' || verb === 'keep') node.extend(question, nodeIndex);
  else node.release(question, nodeIndex);
}
