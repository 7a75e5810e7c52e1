import { setImmediate as immediate } from 'node:timers';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../../lib/core/port/single-call.js';
import { Claim } from '../../../../lib/core/port/claim.js';
import { BatchQueue } from '../../../../lib/redis/batch/batch-queue.js';

describe('BatchQueue, while the event loop handles what has arrived', () => {
  it('collects what every socket asks for into one batch', async () => {
    const sent: string[] = [];
    const queue = new BatchQueue({
      nextTurn: (task) => void immediate(task),
      send: (batch) => void sent.push(batch.questions.map(({ claim }) => claim.resources.join()).join(' ')),
      settle: () => undefined,
    });
    const ask = (name: string): void => queue.add('A', new SingleCall<never>(new Claim([name], name), 1_000), 0);
    ask('a');
    // Each socket is a turn of its own, with ticks and promises.
    process.nextTick(() => ask('b'));
    void Promise.resolve().then(() => process.nextTick(() => ask('c')));
    await setImmediate();
    expect(sent).toEqual(['a b c']);
    ask('d');
    await setImmediate();
    expect(sent).toEqual(['a b c', 'd']);
  });
});
