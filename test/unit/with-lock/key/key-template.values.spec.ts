import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { LockKeyError } from '../../../../lib/engine/errors.js';
import { KeyTemplate } from '../../../../lib/with-lock/key/key-template.js';

const fill = (text: string, ...args: unknown[]): string => new KeyTemplate(text).fill({ args });

/** ASCII that is neither letter nor digit. */
const MARKS = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).filter((mark) => /\W|_/.test(mark));
/** What stays as it is, where it stands beside no part of the template. */
const PLAIN = ' +-.@_';
const SEPARATORS = MARKS.filter((mark) => !PLAIN.includes(mark) && !'<>%'.includes(mark));

describe('a value in a key', () => {
  it('of one template makes no key of another one', () => {
    expect(fill('user:<0>:profile', 42)).toBe('user:42:profile');
    expect(fill('user:<0>', '42:profile')).toBe('user:42%3Aprofile');
  });

  it('makes no other key by being encoded already', () => {
    const keys = ['42:profile', '42%3Aprofile', '42%253Aprofile'].map((value) => fill('user:<0>', value));
    expect(new Set(keys).size).toBe(3);
    expect(keys[1]).toBe('user:42%253Aprofile');
  });

  it.each(SEPARATORS)('has no %j, whatever the template separates by', (separator) => {
    const templates = ['user:<0>', '<0>', `user${separator}<0>`, `<0>${separator}user`];
    const keys = templates.map((template) => fill(template, `42${separator}profile`));
    const others = templates.map((template) => fill(`${template}${separator}profile`, 42));
    expect(keys.filter((key) => others.includes(key))).toEqual([]);
  });

  it.each([...PLAIN, '→', '·', '😀'])('has no %j where that stands beside a part', (mark) => {
    const keys = [fill(`user${mark}<0>`, `42${mark}profile`), fill(`<0>${mark}user`, `profile${mark}42`)];
    const others = [fill(`user${mark}<0>${mark}profile`, 42), fill(`profile${mark}<0>${mark}user`, 42)];
    expect(keys.filter((key) => others.includes(key))).toEqual([]);
  });

  it.each([
    ['user:<0>', 'Ann.Smith+news_7@b-c.example'],
    ['user:<0>', 'Ann Smith'],
    ['welcome-bonus:<0>', '550e8400-e29b-41d4-a716-446655440000'],
    ['user/<0>/mail', 'ünï→😀'],
    ['user:<0>', '-1.5e+21'],
  ])('stays readable where it separates nothing: %s with %s', (template, value) => {
    expect(fill(template, value)).toBe(template.replace('<0>', value));
  });

  it.each([
    ['a:b/c|d,e', 'a%3Ab%2Fc%7Cd%2Ce'],
    ['50%', '50%25'],
    ['~fence', '%7Efence'],
    ['a\nb\0', 'a%0Ab%00'],
  ])('is written as %% and hex digits otherwise: %j', (value, encoded) => {
    expect(fill('user:<0>', value)).toBe(`user:${encoded}`);
  });

  it('is encoded as the page about keys says', async () => {
    const page = await readFile('docs/guides/keys.md', 'utf8');
    const rows = [...page.matchAll(/^\| `(.+?)<\S+?>(.*?)` +\| `([^`]+)` +\| `([^`]+)` +\|$/gm)];
    expect(rows.length).toBeGreaterThan(3);
    for (const [, before, after, value, key] of rows) expect(fill(`${before}<0>${after}`, value)).toBe(key);
  });

  it('is encoded after its filters', () => {
    expect(fill('user:<0|trim|lower>', ' A:B ')).toBe('user:a%3Ab');
    expect(fill('user:<0|hash>', 'a:b')).toMatch(/^user:[\w-]{43}$/);
  });

  it('leaves a key without parts as it is', () => {
    expect(fill('user:42%3A:x')).toBe('user:42%3A:x');
  });

  it.each(['\uD800', 'a\uDFFFb'])('is an error where it is no well-formed Unicode, also for a hash: %j', (value) => {
    for (const template of ['user:<0>', 'user:<0|hash>', '<0|lower>']) {
      expect(() => fill(template, value)).toThrow(LockKeyError);
      expect(() => fill(template, value)).toThrow(/args\.0|0 is not well-formed Unicode/);
    }
  });

  it.each([
    ['50%:<0>', /"%" stands for what is encoded/],
    ['user:\uD800<0>', /half of a surrogate pair/],
  ])('has a template that cannot be mistaken for it: %j is refused', (template, why) => {
    expect(() => new KeyTemplate(template)).toThrow(TypeError);
    expect(() => new KeyTemplate(template)).toThrow(why);
  });
});
