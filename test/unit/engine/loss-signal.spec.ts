import { describe, expect, it } from '@jest/globals';
import { LockLostError } from '../../../lib/engine/errors.js';
import { LossSignal } from '../../../lib/engine/held-lock.js';

describe('LossSignal', () => {
  it('tells signal and listeners, also those that come later', () => {
    const [loss, told] = [new LossSignal(), [] as unknown[]];
    const error = new LockLostError(['a'], 'nodes', 'gone');
    loss.listen((reason) => told.push(reason));
    loss.listen((reason) => told.push(reason))();
    const { signal } = loss;
    loss.happen(error, () => expect([told, signal.aborted, loss.error]).toEqual([[], false, error]));
    loss.listen((reason) => told.push(reason));
    expect([told, signal.reason, loss.error]).toEqual([[error, error], error, error]);
  });
});
