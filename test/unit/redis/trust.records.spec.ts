import { expect, it } from '@jest/globals';
import type { Answer } from '../../../lib/engine/lock-node.js';
import { NodeTrust } from '../../../lib/redis/trust.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const MAX_TTL = 10_000;

it('after a change of its clock, a node is believed if it has a record, and has no vote', async () => {
  const clock = new VirtualClock();
  const options = { keyPrefix: '', channel: 'me', maxTtl: MAX_TTL, restartQuarantine: true };
  const trust = new NodeTrust(options, clock, () => undefined);
  const hear = (time: number): void => trust.heard(time, clock.now(), clock.now());
  const found = { token: 1, value: 'p.1', fingerprint: null, record: 'r', remaining: 1 };
  const judged = (): unknown[] => {
    const cases: readonly (readonly ['open' | 'settle' | 'peek' | 'clear', Answer])[] = [
      ['open', { kind: 'opened', attempts: 1 }],
      ['open', { kind: 'opened', attempts: 1, found }],
      ['open', { kind: 'superseded' }],
      ['settle', { kind: 'settled' }],
      ['peek', { kind: 'nothing' }],
      ['peek', { kind: 'peeked', found, attempts: 1, age: 0, remaining: 1 }],
      ['clear', { kind: 'cleared' }],
    ];
    return cases.map(([kind, answer]) => {
      const counted = trust.judge({ kind }, answer);
      return counted.kind === 'opened' && counted.isQuarantined ? 'evidence' : counted.kind;
    });
  };
  const usual = ['opened', 'opened', 'superseded', 'settled', 'nothing', 'peeked', 'cleared'];
  hear(1_000_000);
  expect(judged()).toEqual(usual);
  hear(2_000_000);
  const out = 'quarantined';
  expect(judged()).toEqual([out, 'evidence', 'superseded', out, out, out, 'cleared']);
  await clock.advance(MAX_TTL);
  expect(judged()).toEqual(usual);
});
