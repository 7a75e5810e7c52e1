import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { bulk } from '../../support/hostile-node.js';
import { HostilePool } from '../../support/hostile-pool.js';
import { RedisPool } from '../../support/redis-pool.js';

const CLOCK = 1_795_000_000_000;
/** Answers that no node gives which means well. */
const NONSENSE: readonly string[] = [
  '_\r\n',
  '$-1\r\n',
  '*-1\r\n',
  '*0\r\n',
  ':0\r\n',
  ':-1\r\n',
  ':9223372036854775807\r\n',
  `:${'9'.repeat(400)}\r\n`,
  ',nan\r\n',
  ',inf\r\n',
  '#t\r\n',
  '(123456789012345678901234567890\r\n',
  '+\r\n',
  bulk('g'),
  bulk('*'.repeat(1_000)),
  `*2\r\n${bulk('d')}:${CLOCK}\r\n`,
  `*3\r\n${bulk('x')}${bulk('5')}:${CLOCK}\r\n`,
  `*3\r\n${bulk('g')}${bulk('9'.repeat(400))}:${CLOCK}\r\n`,
  `*3\r\n${bulk('q')}${bulk('1e300')}:${CLOCK}\r\n`,
  `*4\r\n${bulk('h')}*1\r\n*1\r\n*0\r\n_\r\n:${'9'.repeat(19)}\r\n`,
  `*4\r\n${bulk('h')}:-7\r\n*0\r\n%1\r\n_\r\n_\r\n`,
  `*3\r\n*2\r\n_\r\n_\r\n*1\r\n_\r\n*0\r\n`,
  `*2\r\n-ERR within\r\n!3\r\nERR\r\n`,
  '%1\r\n$9\r\n__proto__\r\n:1\r\n',
  `${'*1\r\n'.repeat(5_000)}:1\r\n`,
  '*30000000\r\n*30000000\r\n*30000000\r\n',
  '$x\r\n',
  '*-5\r\n',
  '|1\r\n+a\r\n+b\r\n:1\r\n',
  'HTTP/1.1 400 Bad Request\r\n\r\n',
  '\0\0\0\0\r\n',
];

describe('two nodes that mean well, beside one', () => {
  let good: RedisPool;
  let pool: HostilePool;
  beforeAll(async () => void (good = await RedisPool.start(2)));
  afterAll(() => good.stop());
  afterEach(() => pool.stop());

  it.each(NONSENSE)('that answers each script with %j, go on giving locks', async (nonsense) => {
    pool = await HostilePool.beside(good, ([name]) => (name!.startsWith('eval') ? nonsense : undefined));
    await pool.locksGoOn();
  });

  it.each(['hello', 'client', 'info', 'get', 'exists', 'subscribe', 'set'])(
    'that answers %s with one nonsense after the other, go on giving locks',
    async (command) => {
      let next = 0;
      const nonsense = (): string => NONSENSE[next++ % NONSENSE.length]!;
      pool = await HostilePool.beside(good, ([name]) => (name === command ? nonsense() : undefined));
      await pool.locksGoOn();
    },
  );

  it('that answers two questions at once with one and the same answer twice as often, go on giving locks', async () => {
    pool = await HostilePool.beside(good, ([name]) => (name!.startsWith('eval') ? ':0\r\n:0\r\n' : undefined));
    await pool.locksGoOn();
    expect(pool.told('node-down')).toContain('it sent an answer that nobody has asked for');
  });

  it('whose votes have a wrong kind, do not take them for votes', async () => {
    pool = await HostilePool.beside(good, ([name]) =>
      name === 'evalsha' ? `*2\r\n${bulk('xxxxxxxxx')}:${CLOCK}\r\n` : undefined,
    );
    await pool.locksGoOn();
    const { nodes } = await pool.client.redlock.status();
    expect(nodes.map(({ votes }) => votes)).toEqual([false, true, true]);
  });
});
