import { describe, expect, it } from '@jest/globals';
import { CommandReader } from '../../support/fault-proxy/command-reader.js';

const PIPELINE = '*3\r\n$3\r\nset\r\n$1\r\na\r\n$4\r\n\r\n*9\r\n*1\r\n$4\r\nPING\r\n*2\r\n$7\r\nEVALSHA\r\n$0\r\n\r\n';

function namesIn(chunks: Iterable<string>): string[] {
  const names: string[] = [];
  const reader = new CommandReader((name) => names.push(name));
  for (const chunk of chunks) reader.read(Buffer.from(chunk, 'latin1'));
  return names;
}

describe('CommandReader', () => {
  it('names every command of a pipeline, whatever its arguments look like', () => {
    expect(namesIn([PIPELINE])).toEqual(['SET', 'PING', 'EVALSHA']);
  });

  it('does not care how the bytes are cut', () => {
    expect(namesIn(PIPELINE)).toEqual(['SET', 'PING', 'EVALSHA']);
  });

  it('understands commands written as plain words', () => {
    expect(namesIn(['ping\r\n', 'get a\r\n'])).toEqual(['PING', 'GET']);
  });

  it('names a command only when all of its first part is there', () => {
    expect(namesIn(['*1\r\n$4\r\nPIN'])).toEqual([]);
  });
});
