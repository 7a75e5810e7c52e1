import { describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../../lib/core/port/single-call.js';
import { OwnClaim } from '../../../../lib/core/quorum/own-claim.js';
import type { ReleaseAnswer } from '../../../../lib/core/port/lock-node.js';

describe('SingleCall', () => {
  const claim = new OwnClaim(['a'], 'ours');

  it('asks for a claim and a ttl', () => {
    const aside = new SingleCall(claim, 1_000);
    expect([aside.claim, aside.ttl]).toEqual([claim, 1_000]);
  });

  it('hands on the answer, whatever the index', () => {
    const answers: unknown[] = [];
    const aside = new SingleCall<ReleaseAnswer>(claim, 1_000, (answer) => answers.push(answer));
    aside.answer(4, { kind: 'released' });
    expect(answers).toEqual([{ kind: 'released' }]);
  });

  it('may be of no interest once it is answered', () => {
    expect(() => new SingleCall<ReleaseAnswer>(claim, 1_000).answer(0, { kind: 'gone' })).not.toThrow();
  });
});
