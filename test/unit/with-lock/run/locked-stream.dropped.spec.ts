import { describe, expect, it } from '@jest/globals';
import { StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { closeDropped } from '../../../../lib/with-lock/run/locked-stream.js';

describe('closeDropped', () => {
  it('closes a stream, and that of a file that was to be sent', () => {
    const [plain, sent] = [Readable.from(['a']), Readable.from(['b'])];
    closeDropped(plain);
    closeDropped(new StreamableFile(sent));
    expect([plain.destroyed, sent.destroyed]).toEqual([true, true]);
  });

  it('leaves an error of it without effect', () => {
    const failing = new Readable();
    closeDropped(failing);
    expect(() => failing.emit('error', new Error('no such file'))).not.toThrow();
  });

  it.each([undefined, null, 'text', { destroy: 'a field of the user' }])('leaves other values alone: %p', (value) => {
    expect(() => closeDropped(value)).not.toThrow();
  });
});
