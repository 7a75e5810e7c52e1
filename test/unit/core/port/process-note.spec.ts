import { describe, expect, it } from '@jest/globals';
import { noteKey, readNote } from '../../../../lib/core/port/process-note.js';

const NOTE = { host: 'web-1', pid: 7, application: 'orders', version: '0.1.0', since: '2026-11-24T03:00:00.000Z' };

describe('the note of a process', () => {
  it('is read as it was written', () => {
    expect(readNote(JSON.stringify(NOTE))).toEqual(NOTE);
  });

  it.each([
    ['no key', null],
    ['no text', ''],
    ['no JSON', 'x'],
    ['JSON of something else', '"x"'],
    ['null', 'null'],
    ['a part of it', '{"host":"web-1"}'],
  ])('is none where there is %s', (_case, text) => {
    expect(readNote(text)).toBeUndefined();
  });

  it('has a key below the prefix, with the mark at its end', () => {
    expect(noteKey('lock:', 'k3Jd9_')).toBe('lock:~process:k3Jd9_');
  });
});
