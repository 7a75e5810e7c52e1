import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { WireCommand, type Reply } from '../../../../../lib/redis/connection/wire/wire-command.js';

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

  it('is answered in the very turn of its reply, not by a promise later', () => {
    command().resolve('PONG');
    expect(replies).toEqual([{ ok: true, value: 'PONG' }]);
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

  it('is answered by its functions alone, as tools call them that put their own in the place of these', async () => {
    const answered = command();
    const { resolve } = answered;
    resolve('PONG');
    expect(replies).toEqual([{ ok: true, value: 'PONG' }]);
    const failed = command();
    const { reject } = failed;
    reject(new Error('closed'));
    expect(failures).toEqual([{ ok: false, reason: 'connection closed', sent: true }]);
    await expect(failed.promise).rejects.toThrow('closed');
  });

  it('still settles its promise, which others may wait for', async () => {
    const one = command();
    one.resolve('PONG');
    await expect(one.promise).resolves.toBe('PONG');
  });
});
