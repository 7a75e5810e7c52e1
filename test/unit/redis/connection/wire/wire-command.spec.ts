import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type Reply, WireCommand, bulk, commandOf } from '../../../../../lib/redis/connection/wire/wire-command.js';
import { wordsOf } from '../../../../support/command-words.js';

describe('WireCommand', () => {
  const replies: Reply[] = [];
  const failures: Reply[] = [];
  const command = (wire = '*1\r\n$4\r\nPING\r\n') => {
    replies.length = 0;
    failures.length = 0;
    return new WireCommand('ping', wire, {
      replied: (reply) => replies.push(reply),
      failed: (reply) => failures.push(reply),
    });
  };

  it('goes out as it is', () => {
    const wire = '*1\r\n$4\r\nPING\r\n';
    expect(command(wire).toWritable()).toBe(wire);
  });

  it('is answered with an error in the very turn of that', async () => {
    const one = command();
    one.reject(Object.assign(new Error('ERR no'), { name: 'ReplyError' }));
    expect(replies).toEqual([{ ok: false, reason: 'ERR no', sent: true, refused: true }]);
    await expect(one.promise).rejects.toThrow('ERR no');
  });

  it.each(['Connection is closed.', 'Command timed out'])(
    'is not answered by what ioredis says itself: %s',
    (error) => {
      command().reject(new Error(error));
      expect([replies, failures]).toEqual([[], [{ ok: false, reason: 'connection closed', sent: true }]]);
    },
  );

  it('whose promise nobody looks at leaves no rejection unhandled', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    command().reject(new Error('ERR no'));
    await setImmediate();
    await setImmediate();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('is answered once, whatever ioredis makes of it later', () => {
    const one = command();
    one.resolve('PONG');
    one.resolve('PONG');
    one.reject(new Error('closed'));
    expect([replies, failures]).toEqual([[{ ok: true, value: 'PONG' }], []]);
  });
});

describe('bulk', () => {
  it.each([
    ['a word', 'PING', '$4\r\nPING\r\n'],
    ['nothing', '', '$0\r\n\r\n'],
    ['a word with its own ends of lines', 'a\r\nb', '$4\r\na\r\nb\r\n'],
    ['a word whose letters take several bytes', 'ünï€😀', '$12\r\nünï€😀\r\n'],
  ])('begins with the length in bytes: %s', (_case, word, wire) => {
    expect(bulk(word)).toBe(wire);
  });
});

describe('commandOf', () => {
  it('begins with the number of its words', () => {
    expect(commandOf('SET', 'a', '')).toBe('*3\r\n$3\r\nSET\r\n$1\r\na\r\n$0\r\n\r\n');
  });

  it('is read as it was written, whatever is in it', () => {
    const words = ['GET', '*1\r\n$4\r\nPING\r\n', 'ünïcode', ' ', ''];
    expect(wordsOf(commandOf(...words))).toEqual([words]);
  });
});
