import { applyDecorators, SetMetadata } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import type { LockDecorator } from '../../../lib/with-lock/lock-decorator.js';
import type { LockKey } from '../../../lib/with-lock/key/lock-key.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';

interface Person {
  readonly email: string;
  readonly address?: { readonly city: string | null } | null;
  readonly born: Date;
}

interface Owner extends Person {
  readonly car: string;
}

// What is expected of the compiler is checked by the compiler (npm run typecheck); these tests see to it that it all runs.
describe('a key function', () => {
  it('takes the arguments of the method', () => {
    class Users {
      @WithLock((person: Person) => person.email)
      same(_person: Person): void {}
      @WithLock((person: Person) => person.email)
      special(_owner: Owner, _more: number): void {}
      @WithLock(() => 'user')
      none(_person: Person): void {}
      @WithLock((...names: string[]) => names)
      rest(..._names: string[]): void {}
      @WithLock((...names: string[]) => names)
      several(_from: string, _to: string): void {}
      @WithLock((id: bigint, other?: number) => [id, other ?? 0])
      optional(_id: bigint): void {}
      @WithLock((person?: Person) => person?.email ?? 'nobody')
      maybe(_person?: Person): void {}
      @WithLock((person: Person) => person.email)
      unknown(_person: any): void {} // oxlint-disable-line typescript/no-explicit-any
      @WithLock((person: Person) => person.email)
      async generic<P extends Person>(person: P): Promise<P> {
        return person;
      }
    }
    expect(Users).toBeDefined();
  });

  it('may take no others', () => {
    class Users {
      // @ts-expect-error -- It has no email.
      @WithLock((person: Person) => person.email)
      other(_order: { id: number }): void {}
      // @ts-expect-error -- Not every person is an owner.
      @WithLock((owner: Owner) => owner.car)
      general(_person: Person): void {}
      // @ts-expect-error -- There may be none.
      @WithLock((person: Person) => person.email)
      maybe(_person?: Person): void {}
      // @ts-expect-error -- There is no second one.
      @WithLock((person: Person, id: string) => person.email + id)
      fewer(_person: Person): void {}
      // @ts-expect-error -- All are numbers.
      @WithLock((...names: string[]) => names)
      several(..._ids: number[]): void {}
    }
    expect(Users).toBeDefined();
  });

  it('returns texts or numbers', () => {
    // @ts-expect-error -- A person is none.
    expect(WithLock((person: Person) => person)).toBeDefined();
    // @ts-expect-error -- Nor is a promise.
    expect(WithLock(async (person: Person) => person.email)).toBeDefined();
  });
});

describe('a key of the arguments', () => {
  it('leads to texts, numbers and booleans, through whatever may be missing', () => {
    class Users {
      @WithLock('user:<0.email|trim|lower>')
      member(_person: Person): void {}
      @WithLock('user:<args.0.address.city>')
      deep(_person?: Person | null): void {}
      @WithLock(['user:<0.email>', 'user:<1>:<2.0.email>'])
      several(_person: Person, _id: bigint, _others: readonly Person[]): void {}
      @WithLock('user:<1>')
      rest(_person: Person, ..._ids: number[]): void {}
      @WithLock('user:<0.email>')
      either(_person: Person | { id: number }): void {}
      @WithLock('user:<0.email>:<1.anything>:<2.at.all>')
      open(_person: Record<string, string>, _other: unknown, _more: object): void {}
      @WithLock('user:<0.email>')
      generic<P extends Person>(person: P): P {
        return person;
      }
    }
    expect(Users).toBeDefined();
  });

  it('leads nowhere else', () => {
    class Users {
      // @ts-expect-error -- A slip of the pen.
      @WithLock('user:<0.emial>')
      misspelt(_person: Person): void {}
      // @ts-expect-error -- One slip of two.
      @WithLock('user:<0.email>:<args.0.adress.city>')
      second(_person: Person): void {}
      // @ts-expect-error -- One slip of two keys.
      @WithLock(['user:<0.email>', 'city:<0.address.town>'])
      several(_person: Person): void {}
      // @ts-expect-error -- There is no second argument.
      @WithLock('user:<1.email>')
      beyond(_person: Person): void {}
      // @ts-expect-error -- An address is no text.
      @WithLock('user:<0.address>')
      shallow(_person: Person): void {}
      // @ts-expect-error -- Nor is a date.
      @WithLock('user:<0.born>')
      date(_person: Person): void {}
      // @ts-expect-error -- It is one already.
      @WithLock('user:<0.length>')
      within(_name: string): void {}
      // @ts-expect-error -- Not all of these persons have it.
      @WithLock('user:<0.car>')
      generic<P extends Person>(person: P): P {
        return person;
      }
    }
    expect(Users).toBeDefined();
  });

  it('is left alone where the compiler does not know it, or the type', () => {
    const unchecked: string = 'item:<0.anything>';
    abstract class Crud<Item extends { id: string }, Id> {
      @WithLock('item:<0.id>')
      save(_item: Item): void {}
      @WithLock('item:<0.id>')
      patch(_item: Partial<Item>): void {}
      @WithLock('item:<0>')
      remove(_id: Id, ..._others: Id[]): void {}
      @WithLock((item: { id: string }) => item.id)
      load(_item: Item): void {}
      @WithLock(unchecked)
      escape(_item: Item): void {}
    }
    expect(WithLock(`${unchecked}:<0.id>`)).toBeDefined();
    expect(Crud).toBeDefined();
  });
});

describe('LockDecorator', () => {
  it('stands where decorators of methods do', () => {
    class Users {
      @applyDecorators(WithLock((person: Person) => person.email), WithLock('user:<0.email>'), SetMetadata('a', 1))
      create(_person: Person): void {}
    }
    const keys: LockKey = ['user'];
    const decorators: MethodDecorator[] = [WithLock(keys), WithLock('user:<0.email>'), WithLock((id: string) => id)];
    expect([Users, decorators]).toBeDefined();
    expectTypeOf(WithLock(keys)).toEqualTypeOf<LockDecorator<LockKey>>();
  });

  it('stands on methods only', () => {
    const definition = (): unknown => {
      // @ts-expect-error -- A class is none.
      @WithLock('user')
      class Users {
        // @ts-expect-error -- Nor is a property.
        @WithLock('user')
        readonly name = 'a';
      }
      return Users;
    };
    expect(definition).toThrow(/only methods/);
  });

  it('comes with options that are typed', () => {
    expect(WithLock('user', { ttl: 5_000, onContended: 'reject' })).toBeDefined();
    const definition = (): unknown => {
      class Users {
        // @ts-expect-error -- There is no such option.
        @WithLock('user', { ttll: 5_000 })
        create(): void {}
      }
      return Users;
    };
    expect(definition).toThrow(/ttll/);
    // @ts-expect-error -- And no such mode.
    expect(() => WithLock('user', { onContended: 'perhaps' })(...method())).toThrow(/perhaps/);
  });
});

function method(): [object, string, { value: () => void }] {
  class Users {
    create(): void {}
  }
  return [Users.prototype, 'create', { value: Users.prototype.create }];
}
