import { Inject, UsePipes, ValidationPipe } from '@nestjs/common';
import {
  Args,
  Field,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Parent,
  Query,
  ResolveField,
  Resolver,
  Subscription,
} from '@nestjs/graphql';
import { Transform } from 'class-transformer';
import { IsEmail } from 'class-validator';
import { PubSub } from 'graphql-subscriptions';
import { WithLock } from 'nestjs-redlock';
import { defer, Observable } from 'rxjs';
import { Door } from './door.js';
import { Payments } from './message-handlers.js';

const REJECT = { onContended: 'reject' } as const;

@InputType()
class SignUpInput {
  @IsEmail()
  @Transform(({ value }) => (typeof value === 'string' ? value.trim().toLowerCase() : (value as unknown)))
  @Field(() => String)
  readonly email!: string;
}

@ObjectType()
class Order {
  @Field(() => ID)
  readonly id!: string;
}

/** What clients of a subscription are told. */
export class News {
  readonly topic = new PubSub<Record<string, { placed: string }>>();
}

@Resolver(() => Order)
export class Orders {
  constructor(
    @Inject(Door) private readonly door: Door,
    @Inject(Payments) private readonly payments: Payments,
    @Inject(News) private readonly news: News,
  ) {}

  @Query(() => Order)
  @WithLock('order:<args.id>')
  async order(@Args('id') id: string): Promise<Order> {
    await this.door.pass(id);
    return { id };
  }

  @Mutation(() => Order)
  @WithLock('order:<args.id>')
  async pay(@Args('id') id: string): Promise<Order> {
    await this.door.pass(id);
    return { id };
  }

  @WithLock('order:<0>')
  @Mutation(() => Order)
  async payByArgument(@Args('id') id: string): Promise<Order> {
    await this.door.pass(id);
    return { id };
  }

  @Mutation(() => Order)
  @WithLock('order:<args.id>')
  payByStream(@Args('id') id: string): Observable<Order> {
    return defer(async () => {
      await this.door.pass(id);
      return { id };
    });
  }

  @Mutation(() => Order)
  @WithLock('order:<args.id>', REJECT)
  async reject(@Args('id') id: string): Promise<Order> {
    await this.door.pass(id);
    return { id };
  }

  @Mutation(() => Order)
  @WithLock('order:<0>', REJECT)
  async rejectByArgument(@Args('id') id: string): Promise<Order> {
    await this.door.pass(id);
    return { id };
  }

  @Mutation(() => Order, { nullable: true })
  @WithLock('order:<args.id>', { onContended: 'skip' })
  async skip(@Args('id') id: string): Promise<Order> {
    await this.door.pass(id);
    return { id };
  }

  @Mutation(() => String)
  inner(@Args('id') id: string): Promise<string> {
    return this.payments.pay(id);
  }

  @Mutation(() => String)
  @WithLock('outer')
  innerOfLocked(@Args('id') id: string): Promise<string> {
    return this.payments.pay(id);
  }

  @Mutation(() => Order)
  @WithLock('order:<args.id>', { ttl: 500 })
  async short(@Args('id') id: string): Promise<Order> {
    await this.door.pass(id);
    return { id };
  }

  @Mutation(() => String)
  @WithLock('user:<user.id>:<headers.X-Request>')
  async byUser(): Promise<string> {
    return 'done';
  }

  @Mutation(() => String)
  @WithLock(() => ({ secret: 'secret-id' }) as unknown as string)
  async byMistake(): Promise<string> {
    return 'done';
  }

  @Mutation(() => String)
  @WithLock('own')
  business(): never {
    throw new Error('sold out');
  }

  @Mutation(() => Order)
  @WithLock('order:<args.id>', { ...REJECT, exceptionFactory: made })
  async made(@Args('id') id: string): Promise<Order> {
    return { id };
  }

  @Mutation(() => String)
  @UsePipes(new ValidationPipe({ transform: true }))
  @WithLock('user:<args.input.email>')
  async rawSignUp(@Args('input') { email }: SignUpInput): Promise<string> {
    return email;
  }

  @Mutation(() => String)
  @UsePipes(new ValidationPipe({ transform: true }))
  @WithLock('user:<args.0.email>')
  async signUp(@Args('input') { email }: SignUpInput): Promise<string> {
    return email;
  }

  @Subscription(() => String)
  @WithLock('order:<args.id>')
  async placed(@Args('id') id: string): Promise<AsyncIterator<unknown>> {
    await this.door.pass(id);
    return this.news.topic.asyncIterableIterator(id);
  }

  @ResolveField(() => String)
  @WithLock('price:<0.id>', REJECT)
  async price(@Parent() { id }: Order): Promise<string> {
    return `price of ${id}`;
  }

  @ResolveField(() => String)
  @WithLock('tax:<parent.id>', REJECT)
  async tax(@Parent() { id }: Order): Promise<string> {
    return `tax of ${id}`;
  }

  @ResolveField(() => String)
  @WithLock('price:<0.id>', { ...REJECT, exceptionFactory: made })
  async fee(@Parent() { id }: Order): Promise<string> {
    return `fee of ${id}`;
  }
}

function made({ code }: Error & { code: string }, context: { getType(): string } | undefined): Error {
  return Object.assign(new Error('mine'), {
    extensions: { code: `MADE_OF_${code}`, type: context?.getType() ?? 'none' },
  });
}
