import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { ReplyEvent } from '../../../lib/engine/events.js';
import { EventLog } from '../../../lib/logging/event-log.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const MINUTE = 60_000;

describe('what the log says of replies', () => {
  let lines: string[];
  let clock: VirtualClock;
  let log: EventLog;
  const logOf = (logKeys?: boolean): EventLog => {
    const on = (level: string) => (line: string) => void lines.push(`${level} ${line}`);
    const logger = Object.assign(new Logger('test'), { log: on('log'), warn: on('warn'), error: on('error') });
    return new EventLog(logger, { logKeys, clock, nodes: 5, status: () => Promise.reject(new Error('nobody')) });
  };
  const tell = (type: ReplyEvent['type'], reason?: string, label = 'signup:<body.email>'): void =>
    log.notify({ type, resources: ['signup:ann@example.com'], label, reason });

  beforeEach(() => {
    lines = [];
    clock = new VirtualClock();
    log = logOf();
  });

  it.each<[ReplyEvent['type'], string | undefined, RegExp]>([
    [
      'unkept',
      'No quorum',
      /^error The reply for "signup:\*" was not kept: No quorum\. .* runs again unless onInterrupted.* \[REDLOCK_W20\]$/,
    ],
    [
      'interrupted',
      undefined,
      /^warn An earlier attempt for "signup:\*" was interrupted: .* Check what the earlier attempt has done\. \[REDLOCK_W21\]$/,
    ],
    [
      'reused',
      undefined,
      /^warn The key "signup:\*" of signup:<body\.email> came with another request.* Repair the client.* \[REDLOCK_W23\]$/,
    ],
    [
      'thin-reply',
      '3 copies',
      /^warn Some nodes lack the reply for "signup:\*": 3 copies\. .* Look at the nodes.* \[REDLOCK_W24\]$/,
    ],
    [
      'tombstone',
      'size',
      /^warn A reply of signup:<body\.email> was not kept, .* larger than maxBytes, or than the 60,000 bytes that nodes keep\. Raise maxBytes/,
    ],
    ['tombstone', 'other', /^warn A reply of signup:<body\.email> was not kept, .*: other\. \[REDLOCK_W20\]$/],
    [
      'reply-differs',
      undefined,
      /^warn A call of signup:<body\.email> ended with another reply .* Give keepIn what the client.* \[REDLOCK_W25\]$/,
    ],
  ])('%s, %s', (type, reason, line) => {
    tell(type, reason);
    expect(lines).toEqual([expect.stringMatching(line)]);
  });

  it('has a remedy for each reason of a tombstone', () => {
    for (const reason of ['size', 'stream', 'early', 'full', 'value']) tell('tombstone', reason);
    expect(lines).toHaveLength(5);
    for (const line of lines) expect(line).toMatch(/: .{15,}\. [A-Z].*\. \[REDLOCK_W20\]$/);
  });

  it('names the key in full if it may', () => {
    log = logOf(true);
    tell('unkept');
    expect(lines[0]).toContain('"signup:ann@example.com"');
  });

  it('is nothing of what happens all the time', async () => {
    for (const type of ['replayed', 'kept', 'superseded'] as const) tell(type);
    await clock.advance(2 * MINUTE);
    expect(lines).toEqual([]);
  });

  it('comes once for a label and a reason where it would be the same again', async () => {
    for (const reason of ['size', 'size', 'stream']) tell('tombstone', reason);
    tell('tombstone', 'size', 'order:<0>');
    for (const label of ['a', 'a', 'b']) tell('reply-differs', undefined, label);
    await clock.advance(2 * MINUTE);
    expect(lines).toHaveLength(5);
  });

  it('counts what comes often: a key that is reused once a minute for each label', async () => {
    for (let times = 0; times < 10; times += 1) tell('reused');
    tell('reused', undefined, 'order:<0>');
    expect(lines).toHaveLength(2);
    await clock.advance(MINUTE);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatch(/ \(the last of 9 more within 60 s\)$/);
  });
});
