import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { LockLostError } from '../../../lib/engine/errors.js';
import type { LockEvent } from '../../../lib/engine/events.js';
import { EventLog } from '../../../lib/logging/event-log.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const ANN = ['user:ann@example.com'];

describe('EventLog', () => {
  let lines: string[];
  let clock: VirtualClock;
  const logOf = (logKeys?: boolean): EventLog => {
    const on = (level: string) => (line: string) => void lines.push(`${level} ${line}`);
    const logger = Object.assign(new Logger('test'), { log: on('log'), warn: on('warn'), error: on('error') });
    const status = (): Promise<never> => Promise.reject(new Error('nobody answers'));
    return new EventLog(logger, { logKeys, clock, nodes: 5, status });
  };
  const said = async (...events: LockEvent[]): Promise<string[]> => {
    const log = logOf();
    for (const event of events) log.notify(event);
    await clock.advance(500);
    return lines;
  };

  beforeEach(() => {
    lines = [];
    clock = new VirtualClock();
  });

  it.each<[LockEvent, string]>([
    [{ type: 'node-up', node: 'n' }, 'log n is up'],
    [{ type: 'node-down', node: 'n', reason: 'closed' }, 'warn n is down: closed [REDLOCK_W01]'],
    [
      { type: 'node-quarantined', node: 'n', reason: 'it is new', remaining: 9 },
      'warn n does not vote for 9 ms: it is new [REDLOCK_W05]',
    ],
    [{ type: 'node-refused', node: 'n', reason: 'OOM' }, 'warn n refuses to vote: OOM [REDLOCK_W02]'],
    [{ type: 'node-accepted', node: 'n' }, 'log n votes again'],
    [{ type: 'node-warning', node: 'n', reason: 'it evicts' }, 'warn n: it evicts [REDLOCK_W03]'],
    [
      { type: 'quorum-lost', votes: 2, nodes: 5, quorum: 3 },
      'error No quorum: 2 of 5 nodes vote, 3 needed, so there are no locks [REDLOCK_W07]',
    ],
  ])('says of %j one line', async (event, line) => {
    expect(await said(event)).toEqual([line]);
  });

  it('says once that a node is out of the vote, and once that it is back', async () => {
    const out = { type: 'node-quarantined', node: 'n', reason: 'it is new', remaining: 9 } as const;
    expect(await said(out, { type: 'node-trusted', node: 'n' })).toEqual([
      'warn n does not vote for 9 ms: it is new [REDLOCK_W05]',
      'log n votes again',
    ]);
  });

  it.each<[(node: string) => LockEvent, string]>([
    [
      (node) => ({ type: 'node-warning', node, reason: 'other clients differ' }),
      'warn each of the 5 nodes: other clients differ [REDLOCK_W03]',
    ],
    [
      (node) => ({ type: 'node-refused', node, reason: 'NOPERM' }),
      'warn each of the 5 nodes refuses to vote: NOPERM [REDLOCK_W02]',
    ],
    [
      (node) => ({ type: 'hand-off-unavailable', node, reason: 'NOPERM' }),
      'warn each of the 5 nodes: hand-off is off, waiters poll every retryDelay: NOPERM [REDLOCK_W04]',
    ],
  ])('says in one line what is the same for all nodes, %#', async (eventOf, line) => {
    expect(await said(...['a', 'b', 'c', 'd', 'e'].map(eventOf))).toEqual([line]);
  });

  it('says before its end what was to be said, and what a node does again after what it did not', () => {
    const log = logOf();
    log.notify({ type: 'node-refused', node: 'a', reason: 'OOM' });
    log.notify({ type: 'node-accepted', node: 'a' });
    log.notify({ type: 'node-warning', node: 'b', reason: 'it evicts' });
    log.stop();
    expect(lines).toEqual([
      'warn a refuses to vote: OOM [REDLOCK_W02]',
      'log a votes again',
      'warn b: it evicts [REDLOCK_W03]',
    ]);
  });

  it('says nothing of what happens all the time', async () => {
    expect(await said({ type: 'contended', resources: ['a'] })).toEqual([]);
    const acquired = { waited: 1, attempts: 1, path: 'free', fencingToken: 7 } as const;
    expect(await said({ type: 'acquired', resources: ['a'], ...acquired })).toEqual([]);
    expect(await said({ type: 'refused', resources: ['a'], waited: 1, code: 'RESOURCE_LOCKED' })).toEqual([]);
  });

  describe('where too few nodes vote', () => {
    const lost = { type: 'quorum-lost', votes: 2, nodes: 5, quorum: 3 } as const;
    const reached = { type: 'quorum-reached', votes: 3, nodes: 5, quorum: 3 } as const;
    const out = ['a', 'b', 'c'].map(
      (node) => ({ type: 'node-quarantined', node, reason: 'it is new', remaining: 30_000 }) as const,
    );
    const words = (told: string[]): string[] =>
      told.map((line) => /^.*?(No quorum|No locks|Locks are possible)/.exec(line)![0]);

    it('says so once, and once that they are enough', async () => {
      expect(await said(lost, reached)).toEqual([
        'error No quorum: 2 of 5 nodes vote, 3 needed, so there are no locks [REDLOCK_W07]',
        'log Locks are possible again: 3 of 5 nodes vote',
      ]);
    });

    it('says it in one line where that is because of what they may have forgotten', async () => {
      expect(words(await said(...out, lost))).toEqual(['warn No locks']);
    });

    it('does not say that they are enough where they are up, but may have forgotten locks', async () => {
      expect(words(await said(lost, reached, ...out, lost))).toEqual(['error No quorum', 'warn No locks']);
    });
  });

  describe('names a resource up to where a value may begin, and whole where it is told to,', () => {
    it.each([
      [undefined, '"user:*"'],
      [true, `"${ANN[0]}"`],
    ])('logKeys %s', (logKeys, name) => {
      const log = logOf(logKeys);
      const error = new LockLostError(ANN, 'nodes', 'it was taken');
      log.notify({ type: 'lost', resources: ANN, fencingToken: 7, error });
      log.notify({ type: 'self-contended', resources: ANN, holding: ANN });
      log.waits([{ resources: ANN, held: 3_400 }], 5_000);
      expect(lines).toEqual([
        `error The lock on ${name} was lost: it was taken [REDLOCK_W08]`,
        expect.stringContaining(`${name} is already held by this call`),
        `log The shutdown waits for at most 5 s for 1 lock: ${name} held for 3 s`,
      ]);
    });
  });

  it('says which locks the shutdown waits for, and names of many those that have been held longest', () => {
    const holders = Array.from({ length: 7 }, (_, index) => ({ resources: [`job-${index}`], held: 100 * (index + 1) }));
    logOf().waits(holders, 500);
    expect(lines).toEqual([
      'log The shutdown waits for at most 500 ms for 7 locks: "job-6" held for 700 ms, "job-5" held for 600 ms, ' +
        '"job-4" held for 500 ms, "job-3" held for 400 ms, "job-2" held for 300 ms, and 2 more',
    ]);
  });
});
