import { describe, expect, it } from '@jest/globals';
import { bulk, commandOf } from '../../../../../lib/redis/connection/wire/wire-command.js';
import { wordsOf } from '../../../../support/command-words.js';

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
