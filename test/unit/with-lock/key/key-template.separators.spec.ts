import { describe, expect, it } from '@jest/globals';
import { KeyTemplate } from '../../../../lib/with-lock/key/key-template.js';

/** All texts of one to three of these characters. */
function words(characters: readonly string[]): string[] {
  const longer = (shorter: string[]): string[] =>
    shorter.flatMap((word) => characters.map((character) => word + character));
  const one = longer(['']);
  return [...one, ...longer(one), ...longer(longer(one))];
}

/** How many of the calls with two short values have a key that another call has, too. */
function collisions(template: KeyTemplate, characters: Iterable<string>): number {
  const values = words([...new Set(characters)]);
  const keys = values.flatMap((first) => values.map((second) => template.fill({ args: [first, second] })));
  return keys.length - new Set(keys).size;
}

describe('the separator between two parts of a key', () => {
  it.each([
    ...':/ |,;=#@+&$?\\[]{}^"`-._~!*\'()',
    '::',
    '->',
    '.*',
    '[^',
    'x',
    '_and_',
    '-2',
    '2-',
    'A:',
    'x25',
    'é',
    '€',
    '\n',
  ])('never lets two different calls share a key: %j', (separator) => {
    const template = new KeyTemplate(`a:<0>${separator}<1>:z`);
    expect(collisions(template, `${separator}%2b`)).toBe(0);
  });

  it.each(['%', '%2', '%25', '2', '25', 'A', 'C3', 'a', '%-', '-%'])(
    'never lets two different calls share a key, or is refused: %j',
    (separator) => {
      let template;
      try {
        template = new KeyTemplate(`<0>${separator}<1>`);
      } catch (error) {
        return expect(error).toBeInstanceOf(TypeError);
      }
      expect(collisions(template, `${separator}%25`)).toBe(0);
    },
  );

  it('may be a character outside the basic plane', () => {
    expect(collisions(new KeyTemplate('<0>😀<1>'), '😀😁%b')).toBe(0);
  });

  it('never lets two different calls share a key where there are several of them', () => {
    const template = new KeyTemplate('<0>:<1>/<2>');
    const values = words([':', '/', 'b']).filter((word) => word.length < 3);
    const keys = values.flatMap((first) =>
      values.flatMap((second) => values.map((third) => template.fill({ args: [first, second, third] }))),
    );
    expect(new Set(keys).size).toBe(values.length ** 3);
  });

  it('leaves values without one readable', () => {
    expect(new KeyTemplate('order:<0>:<1>').fill({ args: ['a@b.c', 7] })).toBe('order:a@b.c:7');
  });
});
