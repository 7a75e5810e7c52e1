import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Moment } from '../../../../../lib/engine/clock.js';
import { PendingReplies, type PendingReply } from '../../../../../lib/redis/connection/wire/pending-replies.js';
import type { Reply } from '../../../../../lib/redis/connection/wire/wire-command.js';

describe('PendingReplies', () => {
  const OK: Reply = { ok: true, value: 'OK' };
  let unanswered: PendingReplies;
  let told: unknown[];
  /** How often it was said that an answer came. */
  let answers: number;
  const at = (monotonic: number): Moment => ({ monotonic, wall: 1_000 + monotonic });
  const ask = (monotonic: number): PendingReply =>
    unanswered.add(at(monotonic), (reply) => told.push([monotonic, reply.ok ? reply.value : reply.reason]));

  beforeEach(() => {
    told = [];
    answers = 0;
    unanswered = new PendingReplies(() => (answers += 1));
  });

  it('has passed what is answered before it hands on the answer, which may ask again', () => {
    const first = unanswered.add(at(1), () => {
      told.push(unanswered.oldest);
      ask(2);
    });
    first.replied(OK);
    expect(told).toEqual([undefined]);
    expect(unanswered.oldest?.since).toEqual(at(2));
  });

  it('gives up all that wait, in order, and leaves nothing', () => {
    const first = ask(1);
    ask(2);
    ask(3);
    first.replied(OK);
    unanswered.giveUpAll({ ok: false, reason: 'closed', sent: true });
    expect(told).toEqual([
      [1, 'OK'],
      [2, 'closed'],
      [3, 'closed'],
    ]);
    expect(unanswered.oldest).toBeUndefined();
    unanswered.giveUpAll({ ok: false, reason: 'closed', sent: true });
    expect([told.length, answers]).toEqual([3, 1]);
  });

  it('does not give up with the others what is asked while it gives them up', () => {
    unanswered.add(at(1), () => ask(2));
    unanswered.giveUpAll({ ok: false, reason: 'closed', sent: true });
    expect(told).toEqual([]);
    expect(unanswered.oldest?.since).toEqual(at(2));
  });

  it('keeps its order over very many, answered while new ones come', () => {
    const open: PendingReply[] = [];
    for (let index = 0; index < 10_000; index += 1) {
      open.push(ask(index));
      if (open.length > 300) unanswered.answer(open.shift()!, OK);
      expect(unanswered.oldest).toBe(open[0]);
    }
    while (open.length > 0) unanswered.answer(open.shift()!, OK);
    expect(told.map((entry) => (entry as [number])[0])).toEqual(Array.from({ length: 10_000 }, (_, index) => index));
    expect(unanswered.oldest).toBeUndefined();
  });
});
