import { afterEach, describe, expect, it } from '@jest/globals';
import { MemoryNode } from '../../../lib/memory/memory-node.js';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { RedlockService } from '../../../lib/redlock.service.js';
import { EMIT } from '../../../lib/redlock.tokens.js';
import { publish } from '../../../lib/engine/channels.js';
import { ChannelLog } from '../../support/channel-log.js';
import { MemoryPool } from '../../support/memory-pool.js';
import { TRUSTING } from '../../support/trust.js';

describe('the plain channels', () => {
  let log: ChannelLog | undefined;
  afterEach(() => log?.end());

  it('tell what happens to nodes, with the pool', () => {
    log = new ChannelLog('node');
    publish({ type: 'node-up', node: 'n' }, 'billing');
    publish({ type: 'node-down', node: 'n', reason: 'gone' }, undefined);
    publish({ type: 'quorum-lost', votes: 1, nodes: 3, quorum: 2 }, undefined);
    expect(log.on('node')).toEqual([
      { pool: 'billing', type: 'node-up', node: 'n' },
      { pool: undefined, type: 'node-down', node: 'n', reason: 'gone' },
    ]);
  });

  it('tell of calls that took no lock of their own, by their template', () => {
    log = new ChannelLog('skipped', 'joined');
    const service = new RedlockService([new MemoryNode('n', new SystemClock(), TRUSTING)], {}, { name: 'billing' });
    service[EMIT]({ type: 'skipped', resources: ['a'], label: 'job' });
    service[EMIT]({ type: 'joined', resources: ['b'] });
    expect(log.entries).toEqual([
      { channel: 'skipped', message: { pool: 'billing', resources: ['a'], template: 'job' } },
      { channel: 'joined', message: { pool: 'billing', resources: ['b'], template: undefined } },
    ]);
  });

  it('tell of every answer of a node once, and of its silence', async () => {
    log = new ChannelLog('request');
    const pool = new MemoryPool();
    const { redlock } = pool.client();
    pool.nodes[1]!.faults = { acquire: 'silent' };
    pool.nodes[2]!.fail('broken');
    await pool.clock.until(redlock.acquire('a', { waitTimeout: 0 }).catch(() => undefined));
    await pool.clock.advance(1_000);
    const answers = log.on('request').map(({ node, error }) => `${String(node)} ${String(error)}`);
    expect(answers.filter((answer) => answer.startsWith('node-1'))).toContain('node-1 undefined');
    expect(answers).toContain('node-2 timeout');
    expect(answers).toContain('node-3 unknown');
    expect(log.on('request').find(({ error }) => error === 'timeout')!['duration']).toBe(50);
  });
});
