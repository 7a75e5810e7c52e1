import { SystemClock } from '../../../lib/core/time/system-clock.js';
import { counterOf } from '../../../lib/core/port/fencing.js';
import { MemoryNode } from '../../../lib/memory/memory-node.js';
import { Asker } from './asker.js';
import type { ClaimPlan, CountStep, Mark, Sequence, Step } from './sequence.js';
import type { Echo, ResourceState, Side, Terms } from './side.js';

/** The node in memory, which takes one question after the other. */
export class MemorySide implements Side {
  #plans: readonly ClaimPlan[] = [];
  #run = 1;
  #dead!: Set<string>;
  readonly #clock = new SystemClock();
  #node!: MemoryNode;
  #asker!: Asker;

  constructor(private readonly terms: Terms) {}

  async begin({ plans, restartQuarantine }: Sequence): Promise<void> {
    this.#plans = plans;
    this.#run = 1;
    const dead = (this.#dead = new Set());
    this.#node = new MemoryNode('memory', this.#clock, {
      maxTtl: this.terms.maxTtl,
      restartQuarantine,
      listens: ({ value }) => !dead.has(value),
    });
    this.#asker = new Asker(plans, this.terms.epoch);
    this.#mark('trusted');
  }

  async take(step: Step): Promise<Echo> {
    if (step.kind === 'ask') for (const operation of step.batches.flat()) this.#asker.ask(this.#node, operation);
    else if (step.kind === 'plant') this.#node.set(step.resource, step.value, step.ttl);
    else if (step.kind === 'vanish') this.#node.set(step.resource, '', 0);
    else if (step.kind === 'die') this.#bury(step.process);
    else if (step.kind === 'count') this.#count(step);
    else this.#mark(step.as);
    return { answers: await this.#asker.answers(), told: this.#asker.takeTold() };
  }

  async stateOf(resources: readonly string[]): Promise<ResourceState[]> {
    const { wall } = this.#clock.now();
    const { entries } = this.#node.snapshot();
    return resources.map((resource) => ({
      resource,
      owner: this.#node.get(resource),
      left: Math.max(0, (entries.get(resource)?.expires ?? 0) - wall),
      line: this.#node.waiting(resource),
      fence: this.#node.fence(resource),
    }));
  }

  #mark(as: Mark): void {
    const since = as === 'new' ? this.#clock.now().wall : 0;
    const run = (this.#run += 1) - (as === 'of another run' ? 1 : 0);
    const marker = as === 'emptied' ? undefined : { run, since, maxTtl: this.terms.maxTtl };
    this.#node.restart({ ...this.#node.snapshot(), marker });
  }

  #count({ resource, fence }: CountStep): void {
    const snapshot = this.#node.snapshot();
    const fences = new Map([...snapshot.fences, [counterOf(resource), this.terms.epoch + fence]]);
    this.#run += 1;
    const marker = snapshot.marker && { ...snapshot.marker, run: snapshot.marker.run + 1 };
    this.#node.restart({ ...snapshot, fences, marker });
  }

  #bury(process: number): void {
    for (const plan of this.#plans) if (plan.process === process) this.#dead.add(plan.value);
  }
}
