import { describe, expect, it } from '@jest/globals';
import { RPC } from '../../../../lib/with-lock/key/key-roots.js';
import { KeyTemplate, type KeySource } from '../../../../lib/with-lock/key/key-template.js';

const SOURCE: KeySource = {
  request: {
    body: {
      email: ' A@b.c ',
      nested: { deep: { id: 7 } },
      tags: ['first', 'second'],
      zero: 0,
      no: false,
      big: 10n ** 20n,
    },
    params: { id: '42' },
    query: Object.assign(Object.create(null) as object, { q: 'term' }),
    headers: { 'x-request-id': 'abc' },
    user: { id: 5 },
  },
  args: ['first', { input: { email: 'x@y' } }, 3],
};

const fill = (text: string, source = SOURCE): string => new KeyTemplate(text).fill(source);

describe('KeyTemplate', () => {
  it.each([
    ['a literal', 'nightly-report', 'nightly-report'],
    ['body', 'user:<body.email>', 'user: A@b.c '],
    ['a deep path', '<body.nested.deep.id>', '7'],
    ['a place in a list', '<body.tags.1>', 'second'],
    ['params', 'order/<params.id>/pay', 'order/42/pay'],
    ['query, also without a prototype', '<query.q>', 'term'],
    ['headers', '<headers.x-request-id>', 'abc'],
    ['headers in any case', '<headers.X-Request-ID>', 'abc'],
    ['user', '<user.id>', '5'],
    ['args by position', '<args.2>', '3'],
    ['a path into args', '<args.1.input.email>', 'x@y'],
    ['a position alone', '<0>', 'first'],
    ['a path from a position', '<1.input.email>', 'x@y'],
    ['blanks around path and filters', '< body.email | trim | lower >', 'a@b.c'],
    ['zero', '<body.zero>', '0'],
    ['false', '<body.no>', 'false'],
    ['a bigint', '<body.big>', '100000000000000000000'],
    ['several parts', '<params.id>:<user.id>:<0>', '42:5:first'],
  ])('reads %s: %s', (_case, text, key) => {
    expect(fill(text)).toBe(key);
  });

  it('reads a whole body that is a text', () => {
    expect(fill('raw:<body>', { request: { body: 'text' } })).toBe('raw:text');
  });

  it('reads what a getter of the request gives, as Express 5 has it for the query', () => {
    class Request {
      get query(): object {
        return { q: 'term' };
      }
    }
    expect(fill('<query.q>', { request: new Request() })).toBe('term');
  });

  it('reads the getters of a class, as the user of a session or a parsed DTO may have them', () => {
    class User {
      readonly #id = 5;

      get id(): number {
        return this.#id;
      }
    }
    expect(fill('<user.id>', { request: { user: new User() } })).toBe('5');
    expect(fill('<0.id>', { args: [new User()] })).toBe('5');
  });

  it('applies filters in their order', () => {
    expect(fill('<body.email|trim|upper>')).toBe('A@B.C');
    expect(fill('<body.email|trim|lower|hash>')).toBe(
      fill('<body.text|hash>', { request: { body: { text: 'a@b.c' } } }),
    );
    expect(fill('<body.email|hash|lower>')).toBe(fill('<body.email|hash>').toLowerCase());
  });

  it.each([
    ['user:<body.email>', false],
    ['user:<0.email>', true],
    ['<args.0>', true],
    ['<body.a>:<1>', true],
    ['literal', false],
  ])('knows whether the arguments of the method are needed: %s', (text, needed) => {
    expect(new KeyTemplate(text).needsArguments).toBe(needed);
  });

  it('says that a part of the request cannot be read where there is none', () => {
    expect(() => fill('<body.email>', { args: [{ email: 'x' }] })).toThrow(TypeError);
    expect(() => fill('<body.email>', { args: [{ email: 'x' }] })).toThrow(/body\.email.*HTTP request.*<0\.\.\.>/);
  });

  it('says that a part cannot be read from a request of another kind, which no client can repair', () => {
    const ofMessage = { request: { data: { id: 7 } }, kind: RPC };
    expect(() => fill('<body.id>', ofMessage)).toThrow(TypeError);
    expect(() => fill('<body.id>', ofMessage)).toThrow(
      '<body.id> reads from an HTTP request, and this is a message of a microservice: use <data...>, <user...>, or <0...>',
    );
  });
});
