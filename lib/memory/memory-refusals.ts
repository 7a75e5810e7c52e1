import { outrun } from '../core/port/fencing.js';
import type { Question, Unknown } from '../core/port/lock-node.js';
import { refusal } from './memory-answers.js';
import type { MemoryFences } from './memory-fences.js';

/** Says which requests a node in memory refuses, and why. */
export class MemoryRefusals {
  constructor(
    private readonly fences: Pick<MemoryFences, 'apart' | 'ahead'>,
    private readonly maxTtl: number,
  ) {}

  ofTtl(ttl: number): Unknown | undefined {
    const { maxTtl } = this;
    return ttl > maxTtl ? refusal(`a ttl of ${ttl} ms is above maxTtl, ${maxTtl} ms`) : undefined;
  }

  /** Checks the terms of a vote. An extension is not checked like this: it brings no token, so that clocks that differ do no harm to it. */
  ofTerms({ ttl, proposal }: Pick<Question<never>, 'ttl' | 'proposal'>): Unknown | undefined {
    const tooLong = this.ofTtl(ttl);
    const apart = this.fences.apart(proposal);
    if (tooLong || apart === 0) return tooLong;
    return refusal(`the clocks of client and node are ${Math.round(apart)} ms apart, more than half of maxTtl`);
  }

  /** Checks the first of the fencing tokens that would come with a vote. */
  ofToken(first: number): Unknown | undefined {
    const ahead = this.fences.ahead(first);
    return ahead > 0 ? refusal(outrun(ahead)) : undefined;
  }
}
