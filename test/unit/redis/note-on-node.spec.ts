import { describe, expect, it } from '@jest/globals';
import type { ConnectionListener } from '../../../lib/redis/connection/connection.js';
import { toAddresses } from '../../../lib/redis/connection/settings/node-address.js';
import type { NodeParts } from '../../../lib/redis/connection/node-parts.js';
import { commandOf } from '../../../lib/redis/connection/wire/resp.js';
import type { Reply } from '../../../lib/redis/connection/wire/wire-command.js';
import { noting } from '../../../lib/redis/note-on-node.js';
import { wordsOf } from '../../support/command-words.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const NOTE = { host: 'web-1', pid: 7, application: 'orders', version: '0.1.0', since: '2026-11-24T03:00:00.000Z' };
const TERMS = { keyPrefix: 'lock:', processMark: 'k3Jd9_', maxTtl: 30_000 };
const BATCH = commandOf('batch');

/** A connection whose commands are noted, and answered by the test. */
function connected(terms = TERMS) {
  const clock = new VirtualClock();
  const sent: string[][] = [];
  const settled: ((reply: Reply) => void)[] = [];
  let isUp = true;
  let listener: ConnectionListener | undefined;
  const plain: NodeParts = {
    clock,
    connect: (_address, ours) => {
      listener = ours;
      return {
        latestAnsweredSentAt: undefined,
        open: async () => undefined,
        close: async () => undefined,
        obstacle: () => undefined,
        send: (_name: string, wire: string, settle: (reply: Reply) => void) => {
          if (!isUp) return undefined;
          sent.push(...wordsOf(wire));
          settled.push(settle);
          return clock.now();
        },
      };
    },
  };
  const [address] = toAddresses(['redis://10.0.0.1']);
  const own = { ready: async () => undefined, usable: () => undefined };
  const connection = noting(plain, NOTE, terms).connect(address!, own);
  const send = (): void => void connection.send('evalsha', BATCH, () => undefined);
  return {
    clock,
    sent,
    send,
    usable: () => listener!.usable(),
    answer: (reply: Reply) => settled.splice(0).forEach((settle) => settle(reply)),
    down: () => (isUp = false),
    up: () => (isUp = true),
  };
}

const SET = ['SET', 'lock:~process:k3Jd9_', JSON.stringify(NOTE), 'PX', '60000'];

describe('the note on a node', () => {
  it('is left when the connection becomes usable, once', () => {
    const { sent, usable } = connected();
    usable();
    expect(sent).toEqual([SET]);
  });

  it('goes behind what is sent anyway once in 30 s, and never by itself', async () => {
    const { sent, send, usable, clock } = connected();
    usable();
    send();
    await clock.advance(29_999);
    send();
    expect(sent).toEqual([SET, ['batch'], ['batch']]);
    await clock.advance(1);
    send();
    send();
    expect(sent.slice(3)).toEqual([['batch'], SET, ['batch']]);
    await clock.advance(600_000);
    expect(clock.timers).toBe(0);
    expect(sent).toHaveLength(6);
  });

  it('is left again on a new connection, which may lead to an empty server', () => {
    const { sent, usable } = connected();
    usable();
    usable();
    expect(sent).toEqual([SET, SET]);
  });

  it('outlives each lease that begins before the next one, however long leases are', () => {
    const { sent, usable } = connected({ ...TERMS, maxTtl: 100_000 });
    usable();
    expect(sent[0]!.at(-1)).toBe('130000');
  });

  it('is not tried again on a connection whose node refuses it', async () => {
    const { sent, send, usable, answer, clock } = connected();
    usable();
    answer({ ok: false, reason: 'NOPERM', sent: true, refused: true });
    await clock.advance(60_000);
    send();
    expect(sent).toEqual([SET, ['batch']]);
    usable();
    expect(sent).toHaveLength(3);
  });

  it('is due still where nothing could be sent', () => {
    const { sent, send, down, up } = connected();
    down();
    send();
    up();
    send();
    expect(sent).toEqual([['batch'], SET]);
  });
});
