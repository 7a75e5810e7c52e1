import { Controller, Inject, Injectable, ValidationPipe, UsePipes } from '@nestjs/common';
import { EventPattern, MessagePattern, Payload, RpcException } from '@nestjs/microservices';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { Transform } from 'class-transformer';
import { IsEmail } from 'class-validator';
import { defer, map, Observable } from 'rxjs';
import { Door } from './door.js';
import { Watched } from './watched.js';

export interface Order {
  readonly id: string;
}

export class SignUp {
  @IsEmail()
  @Transform(({ value }) => (typeof value === 'string' ? value.trim().toLowerCase() : (value as unknown)))
  readonly email!: string;
}

/** A stream that a handler answers with; made again for each test. */
export class Feed {
  watched = new Watched<unknown>();
}

/** A locked method that unlocked handlers call. */
@Injectable()
export class Payments {
  constructor(@Inject(Door) private readonly door: Door) {}

  @WithLock('order:<0>', { onContended: 'reject' })
  async pay(id: string): Promise<string> {
    await this.door.pass(id);
    return 'paid';
  }
}

const KEY = 'order:<data.id>';

@Controller()
export class MessageHandlers {
  constructor(
    @Inject(Door) private readonly door: Door,
    @Inject(Feed) private readonly feed: Feed,
    @Inject(Payments) private readonly payments: Payments,
  ) {}

  @MessagePattern('promise')
  @WithLock(KEY)
  async promise(@Payload() { id }: Order): Promise<object> {
    await this.door.pass(id);
    return { id };
  }

  @WithLock(KEY)
  @MessagePattern('above')
  async above(@Payload() { id }: Order): Promise<object> {
    await this.door.pass(id);
    return { id };
  }

  @MessagePattern('by-argument')
  @WithLock('order:<0.id>')
  async byArgument(@Payload() { id }: Order): Promise<object> {
    await this.door.pass(id);
    return { id };
  }

  @MessagePattern('observable')
  @WithLock(KEY)
  observable(@Payload() { id }: Order): Observable<object> {
    return defer(() => this.door.pass(id)).pipe(map(() => ({ id })));
  }

  @MessagePattern('feed')
  @WithLock(KEY)
  stream(): Observable<unknown> {
    return this.feed.watched.stream;
  }

  @MessagePattern('lock')
  @WithLock(KEY)
  async lock(@CurrentLock() lock: Lock): Promise<readonly string[]> {
    return lock.resources;
  }

  @MessagePattern('reject')
  @WithLock(KEY, { onContended: 'reject' })
  reject(@Payload() { id }: Order): Promise<void> {
    return this.door.pass(id);
  }

  @MessagePattern('reject-by-argument')
  @WithLock('order:<0.id>', { onContended: 'reject' })
  rejectByArgument(@Payload() { id }: Order): Promise<void> {
    return this.door.pass(id);
  }

  @MessagePattern('short')
  @WithLock(KEY, { ttl: 500 })
  short(@Payload() { id }: Order): Promise<void> {
    return this.door.pass(id);
  }

  @MessagePattern('inner')
  inner(@Payload() { id }: Order): Promise<string> {
    return this.payments.pay(id);
  }

  @MessagePattern('inner-of-locked')
  @WithLock('outer')
  innerOfLocked(@Payload() { id }: Order): Promise<string> {
    return this.payments.pay(id);
  }

  @MessagePattern('business')
  @WithLock(KEY)
  business(): never {
    throw new RpcException({ mine: 'sold out' });
  }

  @MessagePattern('failure')
  @WithLock(KEY)
  async failure(): Promise<never> {
    throw new Error('secret detail');
  }

  @MessagePattern('coded')
  @WithLock(KEY)
  async coded(@Payload() { code }: { code: string }): Promise<never> {
    throw Object.assign(new Error('secret detail'), { code });
  }

  @MessagePattern('made')
  @WithLock(KEY, {
    onContended: 'reject',
    exceptionFactory: ({ code }, context) => new RpcException(`${code} in ${context?.getType()}`),
  })
  async made(): Promise<void> {}

  @EventPattern('event')
  @WithLock(KEY)
  event(@Payload() { id }: Order): Promise<void> {
    return this.door.pass(id);
  }

  @EventPattern('once')
  @WithLock(KEY, { onContended: 'skip' })
  once(@Payload() { id }: Order): Promise<void> {
    return this.door.pass(id);
  }

  @EventPattern('refused')
  @WithLock(KEY, { onContended: 'reject' })
  refused(@Payload() { id }: Order): Promise<void> {
    return this.door.pass(id);
  }

  @MessagePattern('raw-sign-up')
  @UsePipes(new ValidationPipe({ transform: true, exceptionFactory: () => new RpcException('invalid') }))
  @WithLock('user:<data.email>')
  async rawSignUp(@Payload() { email }: SignUp): Promise<string> {
    return email;
  }

  @MessagePattern('sign-up')
  @UsePipes(new ValidationPipe({ transform: true, exceptionFactory: () => new RpcException('invalid') }))
  @WithLock('user:<0.email>')
  async signUp(@Payload() { email }: SignUp): Promise<string> {
    return email;
  }
}
