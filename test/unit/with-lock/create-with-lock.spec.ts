import { describe, expect, it } from '@jest/globals';
import { createWithLock, WithLock } from '../../../lib/with-lock/with-lock.decorator.js';

class Address {
  readonly city?: string | null;
  readonly lines!: readonly string[];
}

class RegisterDto {
  readonly email!: string;
  readonly age?: number;
  readonly address?: Address | null;
  readonly tags!: readonly [string, number];
  readonly extra!: Record<string, unknown>;
  readonly born!: Date;

  describe(): string {
    return this.email;
  }
}

interface Request {
  readonly body: RegisterDto;
  readonly params: { readonly id: string };
  readonly headers: { readonly 'x-tenant': string };
  readonly args: { readonly input: { readonly email: string } };
}

const ByBody = createWithLock<RegisterDto>();
const ByRequest = createWithLock<Request>();

// What is expected of the compiler is checked by the compiler (npm run typecheck).
describe('createWithLock', () => {
  it('gives WithLock, of which the compiler asks more', () => {
    expect(ByBody).toBe(WithLock);
  });

  it('lets keys through that the body has', () => {
    const unchecked: string = 'user:<body.emial>';
    class Users {
      @ByBody('user:<body.email>')
      async member(): Promise<void> {}
      @ByBody('user:<body.email|trim | lower>:<body.age>')
      async filtered(): Promise<void> {}
      @ByBody('user:<body.address.city>:<body.address.lines.0>:<body.tags.1>')
      async deep(): Promise<void> {}
      @ByBody(['user:<body.email>', 'city:<body.address.city|hash>', 'all'])
      async several(): Promise<void> {}
      @ByBody('user:<body.extra.whatever.comes>')
      async open(): Promise<void> {}
      @ByBody('user:<params.id>:<query.q>:<headers.X-Id>:<user.id>')
      async undescribed(): Promise<void> {}
      @ByBody('user:<0.email>', { ttl: 5_000 })
      async byArgument(_body: RegisterDto): Promise<void> {}
      @ByBody(unchecked)
      async escape(): Promise<void> {}
    }
    expect(Users).toBeDefined();
  });

  it('lets no others through', () => {
    const definitions = [
      // @ts-expect-error -- A slip of the pen.
      (): unknown => ByBody('user:<body.emial>'),
      // @ts-expect-error -- One slip of two.
      (): unknown => ByBody('user:<body.email>:<body.agee>'),
      // @ts-expect-error -- One slip of two keys.
      (): unknown => ByBody(['user:<body.email>', 'city:<body.adress.city>']),
      // @ts-expect-error -- An address is no text.
      (): unknown => ByBody('user:<body.address>'),
      // @ts-expect-error -- The tuple has two.
      (): unknown => ByBody('user:<body.tags.2>'),
      // @ts-expect-error -- A date is no text.
      (): unknown => ByBody('user:<body.born>'),
      // @ts-expect-error -- A method is none.
      (): unknown => ByBody('user:<body.describe>'),
      // @ts-expect-error -- A text has nothing below it.
      (): unknown => ByBody('user:<body.email.domain>'),
      // @ts-expect-error -- The body itself is no text.
      (): unknown => ByBody('user:<body>'),
      // @ts-expect-error -- No such filter.
      (): unknown => ByBody('user:<body.email|lowre>'),
      // @ts-expect-error -- No such second filter.
      (): unknown => ByBody('user:<body.email|trim|lowre>'),
      // @ts-expect-error -- No such root.
      (): unknown => ByBody('user:<bdoy.email>'),
      // @ts-expect-error -- No such option.
      (): unknown => ByBody('user:<body.email>', { ttll: 5_000 }),
      // @ts-expect-error -- A function knows its types itself.
      (): unknown => ByBody((body: RegisterDto) => body.email),
    ];
    expect(definitions).toHaveLength(14);
  });

  it('takes the type of the whole request, too', () => {
    expect([
      ByRequest('user:<body.email>:<params.id>:<headers.X-Tenant>:<query.q>:<args.input.email>'),
      createWithLock<{ body: { body: string } }>()('message:<body.body>'),
      createWithLock<{ body: RegisterDto[] }>()('user:<body.0.email>'),
      // @ts-expect-error -- A slip of the pen.
      ByRequest('user:<params.di>'),
      // @ts-expect-error -- The other header.
      ByRequest('user:<headers.x-user>'),
      // @ts-expect-error -- By the name of a GraphQL argument.
      ByRequest('user:<args.input.emial>'),
    ]).toHaveLength(6);
  });

  it('checks the arguments of the method, as WithLock does', () => {
    class Users {
      // @ts-expect-error -- A slip of the pen.
      @ByBody('user:<0.emial>')
      async byArgument(_body: RegisterDto): Promise<void> {}
    }
    expect(Users).toBeDefined();
  });
});
