import { applyDecorators, SetMetadata } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import type { Observable } from 'rxjs';
import { createWithLock, WithLock } from '../../../lib/with-lock/with-lock.decorator.js';
import type { LockDecorator } from '../../../lib/with-lock/lock-decorator.js';
import type { LockKey } from '../../../lib/with-lock/key/lock-key.js';

interface Person {
  readonly email: string;
  readonly address?: { readonly city: string | null } | null;
  readonly born: Date;
}

interface Owner extends Person {
  readonly car: string;
}

const ByBody = createWithLock<Person>();

// What is expected of the compiler is checked by the compiler (npm run typecheck); these tests see to it that it all runs.
describe('a key function', () => {
  it('takes the arguments of the method', () => {
    class Users {
      @WithLock((person: Person) => person.email)
      async same(_person: Person): Promise<void> {}
      @WithLock((person: Person) => person.email)
      async special(_owner: Owner, _more: number): Promise<void> {}
      @WithLock(() => 'user')
      async none(_person: Person): Promise<void> {}
      @WithLock((...names: string[]) => names)
      async rest(..._names: string[]): Promise<void> {}
      @WithLock((...names: string[]) => names)
      async several(_from: string, _to: string): Promise<void> {}
      @WithLock((id: bigint, other?: number) => [id, other ?? 0])
      async optional(_id: bigint): Promise<void> {}
      @WithLock((person?: Person) => person?.email ?? 'nobody')
      async maybe(_person?: Person): Promise<void> {}
      @WithLock((person: Person) => person.email)
      async unknown(_person: any): Promise<void> {} // oxlint-disable-line typescript/no-explicit-any
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
      async other(_order: { id: number }): Promise<void> {}
      // @ts-expect-error -- Not every person is an owner.
      @WithLock((owner: Owner) => owner.car)
      async general(_person: Person): Promise<void> {}
      // @ts-expect-error -- There may be none.
      @WithLock((person: Person) => person.email)
      async maybe(_person?: Person): Promise<void> {}
      // @ts-expect-error -- There is no second one.
      @WithLock((person: Person, id: string) => person.email + id)
      async fewer(_person: Person): Promise<void> {}
      // @ts-expect-error -- All are numbers.
      @WithLock((...names: string[]) => names)
      async several(..._ids: number[]): Promise<void> {}
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
      async member(_person: Person): Promise<void> {}
      @WithLock('user:<args.0.address.city>')
      async deep(_person?: Person | null): Promise<void> {}
      @WithLock(['user:<0.email>', 'user:<1>:<2.0.email>'])
      async several(_person: Person, _id: bigint, _others: readonly Person[]): Promise<void> {}
      @WithLock('user:<1>')
      async rest(_person: Person, ..._ids: number[]): Promise<void> {}
      @WithLock('user:<0.email>')
      async either(_person: Person | { id: number }): Promise<void> {}
      @WithLock('user:<0.email>:<1.anything>:<2.at.all>')
      async open(_person: Record<string, string>, _other: unknown, _more: object): Promise<void> {}
      @WithLock('user:<0.email>')
      async generic<P extends Person>(person: P): Promise<P> {
        return person;
      }
    }
    expect(Users).toBeDefined();
  });

  it('leads nowhere else', () => {
    class Users {
      // @ts-expect-error -- A slip of the pen.
      @WithLock('user:<0.emial>')
      async misspelt(_person: Person): Promise<void> {}
      // @ts-expect-error -- One slip of two.
      @WithLock('user:<0.email>:<args.0.adress.city>')
      async second(_person: Person): Promise<void> {}
      // @ts-expect-error -- One slip of two keys.
      @WithLock(['user:<0.email>', 'city:<0.address.town>'])
      async several(_person: Person): Promise<void> {}
      // @ts-expect-error -- There is no second argument.
      @WithLock('user:<1.email>')
      async beyond(_person: Person): Promise<void> {}
      // @ts-expect-error -- An address is no text.
      @WithLock('user:<0.address>')
      async shallow(_person: Person): Promise<void> {}
      // @ts-expect-error -- Nor is a date.
      @WithLock('user:<0.born>')
      async date(_person: Person): Promise<void> {}
      // @ts-expect-error -- It is one already.
      @WithLock('user:<0.length>')
      async within(_name: string): Promise<void> {}
      // @ts-expect-error -- Not all of these persons have it.
      @WithLock('user:<0.car>')
      async generic<P extends Person>(person: P): Promise<P> {
        return person;
      }
    }
    expect(Users).toBeDefined();
  });

  it('is left alone where the compiler does not know it, or the type', () => {
    const unchecked: string = 'item:<0.anything>';
    abstract class Crud<Item extends { id: string }, Id> {
      @WithLock('item:<0.id>')
      async save(_item: Item): Promise<void> {}
      @WithLock('item:<0.id>')
      async patch(_item: Partial<Item>): Promise<void> {}
      @WithLock('item:<0>')
      async remove(_id: Id, ..._others: Id[]): Promise<void> {}
      @WithLock((item: { id: string }) => item.id)
      async load(_item: Item): Promise<void> {}
      @WithLock(unchecked)
      async escape(_item: Item): Promise<void> {}
    }
    expect(WithLock(`${unchecked}:<0.id>`)).toBeDefined();
    expect(Crud).toBeDefined();
  });
});

describe('a locked method', () => {
  it('returns a Promise or an Observable, or what the compiler cannot know', () => {
    const result = undefined as never;
    class Users<Item> {
      readonly all: readonly Item[] = [];

      @WithLock('user')
      async native(): Promise<void> {}
      @WithLock(['user', 'users'])
      thenable(): PromiseLike<number> {
        return result;
      }
      @WithLock(() => 'user')
      stream(): Observable<number> {
        return result;
      }
      @WithLock('user:<0>')
      either(_id: string): Promise<number> | Observable<number> {
        return result;
      }
      @WithLock('user')
      perhaps(): number | Promise<number> {
        return result;
      }
      @WithLock('user')
      // oxlint-disable-next-line typescript/no-explicit-any
      anything(): any {
        return result;
      }
      @WithLock('user')
      something(): unknown {
        return result;
      }
      @WithLock('user')
      nothing(): never {
        throw new Error('business');
      }
      @WithLock('user')
      item(): Item {
        return this.all[0]!;
      }
      @WithLock('user')
      given<T>(item: T): T {
        return item;
      }
      @ByBody('user:<body.email>')
      async checked(): Promise<void> {}
    }
    expect(Users).toBeDefined();
  });

  it('returns nothing else', () => {
    const unchecked: LockKey = ['user'];
    class Users<Item> {
      // @ts-expect-error -- A boolean.
      @WithLock('user')
      mayExport(): boolean {
        return true;
      }
      // @ts-expect-error -- Nothing.
      @WithLock('user:<0.email>')
      create(_person: Person): void {}
      // @ts-expect-error -- An object.
      @WithLock(['user', 'users'])
      find(): Person | undefined {
        return undefined;
      }
      // @ts-expect-error -- An array.
      @WithLock((item: string) => item)
      list(item: string): string[] {
        return [item];
      }
      // @ts-expect-error -- Nothing, whatever the item is.
      @WithLock('item:<0>')
      save(_item: Item, ..._others: Item[]): void {}
      // @ts-expect-error -- Nothing.
      @ByBody('user:<body.email>')
      checked(): void {}
      // @ts-expect-error -- Nothing, whatever the key is.
      @WithLock(unchecked)
      escape(): void {}
    }
    expect(Users).toBeDefined();
  });

  it('is told what to write', () => {
    const verdict = WithLock('user')(...method());
    expectTypeOf(verdict).toEqualTypeOf<void | {
      readonly 'a locked method returns a Promise or an Observable: make it async': never;
    }>();
    expect(verdict).toBeUndefined();
  });

  it('is not looked at within applyDecorators', () => {
    class Users {
      @applyDecorators(WithLock('user'))
      create(): void {}
    }
    expect(Users).toBeDefined();
  });
});

describe('LockDecorator', () => {
  it('stands where decorators of methods do', () => {
    class Users {
      @applyDecorators(WithLock((person: Person) => person.email), WithLock('user:<0.email>'), SetMetadata('a', 1))
      async create(_person: Person): Promise<void> {}
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
        async create(): Promise<void> {}
      }
      return Users;
    };
    expect(definition).toThrow(/ttll/);
    // @ts-expect-error -- And no such mode.
    expect(() => WithLock('user', { onContended: 'perhaps' })(...method())).toThrow(/perhaps/);
  });
});

/** Returns a method that is not async, as a decorator gets it. */
function method(): [object, string, { value: () => void }] {
  class Users {
    create(): void {}
  }
  return [Users.prototype, 'create', { value: Users.prototype.create }];
}
