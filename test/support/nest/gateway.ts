import { Inject, UseFilters, UseInterceptors, UsePipes, ValidationPipe } from '@nestjs/common';
import { ConnectedSocket, MessageBody, SubscribeMessage, WebSocketGateway, WsException } from '@nestjs/websockets';
import { RedlockExceptionFilter, WithLock } from 'nestjs-redlock';
import { defer, map, Observable } from 'rxjs';
import { Door } from './door.js';
import { Endings } from './endings.js';
import { LazyQuery } from './lazy-query.js';
import { Feed, Payments, SignUp, type Order } from './message-handlers.js';

interface Reply {
  readonly event: string;
  readonly data: unknown;
}

interface Client {
  data?: object;
  user?: object;
}

const KEY = 'order:<data.id>';
const REJECT = { onContended: 'reject' } as const;
const PIPE = new ValidationPipe({ transform: true, exceptionFactory: () => new WsException('invalid') });

/** How each message ended, also where no client is there to be told. */
export const endings = new Endings();

@WebSocketGateway()
@UseInterceptors(endings)
export class Gateway {
  constructor(
    @Inject(Door) private readonly door: Door,
    @Inject(Feed) private readonly feed: Feed,
    @Inject(Payments) private readonly payments: Payments,
  ) {}

  @SubscribeMessage('promise')
  @WithLock(KEY)
  promise(@MessageBody() { id }: Order): Promise<Reply> {
    return this.answer(id);
  }

  @SubscribeMessage('thenable')
  @WithLock(KEY)
  thenable(@MessageBody() { id }: Order): PromiseLike<Reply> {
    return new LazyQuery(() => this.answer(id));
  }

  @WithLock('order:<0.id>')
  @SubscribeMessage('by-argument')
  byArgument(@MessageBody() { id }: Order): Promise<Reply> {
    return this.answer(id);
  }

  @SubscribeMessage('observable')
  @WithLock(KEY)
  observable(@MessageBody() { id }: Order): Observable<Reply> {
    return defer(() => this.answer(id));
  }

  @SubscribeMessage('feed')
  @WithLock(KEY)
  stream(): Observable<Reply> {
    return this.feed.watched.stream.pipe(map((data) => ({ event: 'fed', data })));
  }

  @SubscribeMessage('reject')
  @WithLock(KEY, REJECT)
  reject(@MessageBody() { id }: Order): Promise<Reply> {
    return this.answer(id);
  }

  @SubscribeMessage('reject-by-argument')
  @WithLock('order:<0.id>', REJECT)
  rejectByArgument(@MessageBody() { id }: Order): Promise<Reply> {
    return this.answer(id);
  }

  @SubscribeMessage('skip')
  @WithLock(KEY, { onContended: 'skip' })
  skip(@MessageBody() { id }: Order): Promise<Reply> {
    return this.answer(id);
  }

  @SubscribeMessage('sign-in')
  signIn(@ConnectedSocket() client: Client, @MessageBody() id: number): Reply {
    if (client.data) Object.assign(client.data, { user: { id } });
    else client.user = { id };
    return { event: 'signed-in', data: id };
  }

  @SubscribeMessage('by-user')
  @WithLock('user:<user.id>', REJECT)
  async byUser(): Promise<Reply> {
    return { event: 'done', data: 'by-user' };
  }

  @SubscribeMessage('inner-of-locked')
  @WithLock('outer')
  async innerOfLocked(@MessageBody() { id }: Order): Promise<Reply> {
    return { event: 'done', data: await this.payments.pay(id) };
  }

  @SubscribeMessage('inner')
  async inner(@MessageBody() { id }: Order): Promise<Reply> {
    return { event: 'done', data: await this.payments.pay(id) };
  }

  @UseFilters(RedlockExceptionFilter)
  @SubscribeMessage('inner-with-filter')
  async innerWithFilter(@MessageBody() { id }: Order): Promise<Reply> {
    return { event: 'done', data: await this.payments.pay(id) };
  }

  @SubscribeMessage('business')
  @WithLock(KEY)
  business(): never {
    throw new WsException({ mine: 'sold out' });
  }

  @SubscribeMessage('coded')
  @WithLock(KEY)
  coded(@MessageBody() { code }: { code: string }): never {
    throw Object.assign(new WsException({ mine: 'sold out' }), { code });
  }

  @SubscribeMessage('made')
  @WithLock(KEY, {
    ...REJECT,
    exceptionFactory: ({ code }, context) => new WsException({ made: code, type: context?.getType() }),
  })
  async made(): Promise<void> {}

  @SubscribeMessage('raw-sign-up')
  @UsePipes(PIPE)
  @WithLock('user:<data.email>')
  async rawSignUp(@MessageBody() { email }: SignUp): Promise<Reply> {
    return { event: 'done', data: email };
  }

  @SubscribeMessage('sign-up')
  @UsePipes(PIPE)
  @WithLock('user:<0.email>')
  async signUp(@MessageBody() { email }: SignUp): Promise<Reply> {
    return { event: 'done', data: email };
  }

  private async answer(id: string): Promise<Reply> {
    await this.door.pass(id);
    return { event: 'done', data: id };
  }
}
