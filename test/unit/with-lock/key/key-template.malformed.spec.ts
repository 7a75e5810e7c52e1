import { describe, expect, it } from '@jest/globals';
import { KeyTemplate } from '../../../../lib/with-lock/key/key-template.js';

describe('KeyTemplate, where it is malformed', () => {
  it.each([
    ['an open part', 'user:<body.', /never closed/],
    ['an open part after a good one', '<body.a>:<body.b', /never closed/],
    ['a part within a part', '<body.<params.id>>', /never closed/],
    ['nothing', '', /empty/],
    ['an empty part', 'user:<>', /not a path/],
    ['a part of blanks', 'user:< >', /not a path/],
    ['a path with a hole', '<body..email>', /not a path/],
    ['a path that ends in a dot', '<body.email.>', /not a path/],
    ['a path that begins with a dot', '<.email>', /not a path/],
    ['an unknown root', 'user:<request.id>', /"request" is none of body, params, query, headers, user, args/],
    ['a root that all objects inherit', '<constructor.name>', /"constructor" is none of/],
    ['a root in the wrong case', '<Body.id>', /"Body" is none of/],
    ['an unknown filter', '<body.email|shout>', /no filter "shout".*trim, lower, upper, hash/],
    ['a filter that all objects inherit', '<body.email|toString>', /no filter "toString"/],
    ['an empty filter', '<body.email|>', /no filter ""/],
    ['no separator between two parts', '<body.a><body.b>', /separator/],
    ['no separator between two later parts', '<body.a>:<body.b><body.c>', /separator/],
    ['args alone', '<args>', /position of an argument/],
    ['params alone', '<params>', /needs the name of one of them, as in <params\.id>/],
    ['headers alone', '<headers|lower>', /needs the name of one of them/],
    ['a question mark', '<body.email?>', /not a path.*"\?" is in none; for such a name, use a key function/],
    ['a question mark in the midst', '<body?.email>', /"\?" is in none/],
    ['an exclamation mark', '<body.email!>', /"!" is in none/],
    ['an index in brackets', '<body.items[0]>', /"\[" is in none/],
    ['a call', '<body.email.trim()>', /"\(" is in none/],
    ['a blank within a name', '<body.first name>', /" " is in none/],
    ['a default', '<body.email||0>', /no filter ""/],
    ['another default', "<body.email ?? 'a'>", /not a path/],
    ['quotes', '<body."email">', /not a path/],
  ])('says so for %s: %s', (_case, text, rule) => {
    const compile = (): KeyTemplate => new KeyTemplate(text);
    expect(compile).toThrow(TypeError);
    expect(compile).toThrow(rule);
    expect(compile).toThrow(expect.objectContaining({ message: expect.stringContaining(`"${text}"`) }));
  });

  it.each(['x-id', '@id', '$id', 'custom:claim', 'a/b', 'größe', '#text', 'a~b', 'a*'])(
    'takes a name such as %s',
    (name) => {
      expect(new KeyTemplate(`<body.${name}>`).fill({ request: { body: { [name]: 'a' } } })).toBe('a');
    },
  );

  it('takes a ">" that closes nothing as it is', () => {
    expect(new KeyTemplate('a>b').fill({})).toBe('a>b');
  });
});
