import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeEvent } from '../../../../lib/core/port/lock-node.js';
import type { NodeAnswer } from '../../../../lib/redis/batch/reply-decoder.js';
import { advised, Refusals } from '../../../../lib/redis/trust/refusals.js';
import type { Reply } from '../../../../lib/redis/connection/wire/wire-command.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const GRANTED: NodeAnswer = { kind: 'granted', fence: 7 };
const refused = (reason: string): NodeAnswer => ({ kind: 'unknown', reason, sent: true, refused: true });

describe('Refusals', () => {
  let clock: VirtualClock;
  let events: NodeEvent[];
  let refusals: Refusals;
  const types = (): string[] => events.map(({ type }) => type);

  beforeEach(() => {
    clock = new VirtualClock();
    events = [];
    refusals = new Refusals({ clock, notify: (event) => void events.push(event) });
  });

  it('tell the first one, with the reason and what to do, and not those that follow', () => {
    for (const reason of ['READONLY You cannot write.', 'LOADING', 'OOM']) refusals.note(refused(reason));
    expect(events).toEqual([
      {
        type: 'node-refused',
        reason: 'READONLY You cannot write - it is a replica: point the pool at the master',
      },
    ]);
  });

  it('tell the end with the first vote that comes a second or more after the last of them', async () => {
    refusals.note(refused('OOM'));
    await clock.advance(900);
    refusals.note(refused('OOM'));
    await clock.advance(999);
    refusals.note(GRANTED);
    expect(types()).toEqual(['node-refused']);
    await clock.advance(1);
    refusals.note(GRANTED);
    refusals.note(GRANTED);
    expect(types()).toEqual(['node-refused', 'node-accepted']);
  });

  it('tell each again that follows an end', async () => {
    for (const vote of [refused('OOM'), GRANTED, refused('OOM'), GRANTED]) {
      refusals.note(vote);
      await clock.advance(1_000);
    }
    expect(types()).toEqual(['node-refused', 'node-accepted', 'node-refused', 'node-accepted']);
  });

  it('take nothing else for one, nor for the end of one', async () => {
    const silent: NodeAnswer = { kind: 'unknown', reason: 'no answer within 50 ms', sent: true };
    const others: NodeAnswer[] = [
      silent,
      { kind: 'held', remaining: 10, owner: 'other' },
      { kind: 'quarantined', remaining: 10 },
      refused('WRONGTYPE Operation against a key holding the wrong kind of value'),
    ];
    for (const other of others) refusals.note(other);
    expect(events).toEqual([]);
    refusals.note(refused('OOM'));
    await clock.advance(2_000);
    for (const other of others) refusals.note(other);
    expect(types()).toEqual(['node-refused']);
  });
});

describe('Refusals of a node that runs no scripts', () => {
  it('are told by the first reply that shows it, and by no other error', () => {
    const events: NodeEvent[] = [];
    const refusals = new Refusals({ clock: new VirtualClock(), notify: (event) => void events.push(event) });
    const reply = (reason: string, isError = true): Reply => ({ ok: false, reason, sent: true, refused: isError });
    refusals.heard({ ok: true, value: 0 });
    for (const reason of ['NOSCRIPT No matching script', 'BUSY Redis is busy', "NOPERM ... the 'set' command"])
      refusals.heard(reply(reason));
    refusals.heard(reply("ERR unknown command 'evalsha'", false));
    expect(events).toEqual([]);
    for (const key of ['a', 'b'])
      refusals.heard(reply(`ERR unknown command 'evalsha', with args beginning with: '${key}'`));
    expect(events).toEqual([{ type: 'node-refused', reason: expect.stringMatching(/^it runs no Lua scripts/) }]);
  });
});

describe('advised', () => {
  it.each([
    ["NOPERM this user has no permissions to run the 'evalsha' command", '[+]eval [+]evalsha'],
    ['OOM command not allowed', 'maxmemory'],
    ['READONLY You cannot', 'point the pool at the master'],
    ['MASTERDOWN Link with MASTER is down', 'point the pool at the master'],
    ['NOREPLICAS Not enough good replicas to write.', 'min-replicas-to-write'],
    ['NOPERM this user has no permissions', 'docs/waiting.md'],
    ["ERR The user executing the script can't run this command", 'docs/waiting.md'],
    ["ERR ACL failure in script: User locks has no permissions to run the 'set' command", 'docs/waiting.md'],
    ['ERR ACL failure in script: No permissions to access a key', 'docs/waiting.md'],
    ['MISCONF Redis is configured to save', 'its own log'],
    ['BUSY Redis is busy running a script', 'script'],
    ['CLUSTERDOWN Hash slot not served', 'independent masters'],
    ['LOADING Redis is loading the dataset in memory', 'reads its file'],
    ['the clocks of client and node are 60000 ms apart, more than half of maxTtl', 'NTP'],
  ])('says what to do about: %s', (reason, advice) => {
    expect(advised(reason)).toMatch(new RegExp(`^${reason.replace(/\.$/, '')} - .*${advice}`));
  });

  it('leaves unknown refusals as they are', () => {
    expect(advised('ERR something new.')).toBe('ERR something new.');
  });
});
