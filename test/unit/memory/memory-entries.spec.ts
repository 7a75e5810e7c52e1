import { beforeEach, describe, expect, it } from '@jest/globals';
import { Claim } from '../../../lib/core/port/claim.js';
import { MemoryEntries } from '../../../lib/memory/memory-entries.js';

describe('MemoryEntries', () => {
  let wall: number;
  let entries: MemoryEntries;
  const valueOf = (resource: string): string | undefined => entries.get(resource)?.value;

  beforeEach(() => {
    wall = 1_000;
    entries = new MemoryEntries(() => wall);
  });

  it('have what was set, until it expires', () => {
    entries.set('a', 'v', 500);
    wall += 499;
    expect(entries.get('a')).toEqual({ value: 'v', expires: 1_500 });
    wall += 1;
    expect(entries.get('a')).toBeUndefined();
  });

  it('keep nothing of what has expired', () => {
    entries.set('a', 'v', 500);
    wall += 500;
    entries.get('a');
    expect(entries.snapshot().size).toBe(0);
  });

  it('take the latest value, with a time of its own', () => {
    entries.set('a', 'first', 500);
    entries.set('a', 'second', 900);
    wall += 600;
    expect(valueOf('a')).toBe('second');
  });

  it('may last for ever', () => {
    entries.set('a', 'v', Infinity);
    wall += 1e15;
    expect(valueOf('a')).toBe('v');
  });

  it('forget what is deleted, and no more', () => {
    entries.set('a', 'v', 500);
    entries.set('b', 'v', 500);
    entries.delete('a');
    expect([valueOf('a'), valueOf('b')]).toEqual([undefined, 'v']);
  });

  it.each([
    ['the one that lasts longest', ['a', 'b', 'c'], 'x', 'long'],
    ['none of the same value', ['a', 'b', 'c'], 'long', 'middle'],
    ['none of other resources', ['a'], 'x', 'short'],
    ['none where all is free', ['d'], 'x', undefined],
  ])('name of those in the way %s', (_, resources, value, expected) => {
    entries.set('a', 'short', 100);
    entries.set('b', 'long', 900);
    entries.set('c', 'middle', 500);
    expect(entries.longest(new Claim(resources, value))?.value).toBe(expected);
  });

  it('name no holder in the way that has expired', () => {
    entries.set('a', 'short', 100);
    wall += 100;
    expect(entries.longest(new Claim(['a'], 'x'))).toBeUndefined();
  });

  it('are restored as they were, whatever came of them since', () => {
    entries.set('a', 'v', 500);
    const before = entries.snapshot();
    entries.get('a')!.expires = 9_000;
    entries.set('b', 'later', 500);
    entries.restore(before);
    expect([entries.get('a'), entries.get('b')]).toEqual([{ value: 'v', expires: 1_500 }, undefined]);
    entries.get('a')!.expires = 9_000;
    entries.restore(before);
    expect(entries.get('a')!.expires).toBe(1_500);
  });
});
