import { Body, Controller, Inject, Injectable, Post, UseInterceptors } from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { Transactional, TransactionInterceptor, Transactions } from './transactions.js';

interface SignUp {
  readonly email: string;
}

@Injectable()
export class Users {
  constructor(@Inject(Transactions) readonly transactions: Transactions) {}

  /** Looks, and then writes: right for one at a time only. */
  async register({ email }: SignUp): Promise<string> {
    const [known] = await this.transactions.query('SELECT FROM users WHERE email = $1', [email]);
    if (known) return 'known';
    await this.transactions.query('INSERT INTO users (email) VALUES ($1)', [email]);
    return 'new';
  }

  @WithLock('user:<0.email>')
  @Transactional()
  async lockAbove(user: SignUp): Promise<string> {
    return this.register(user);
  }

  @Transactional()
  @WithLock('user:<0.email>')
  async lockBelow(user: SignUp): Promise<string> {
    return this.register(user);
  }

  @Transactional()
  async unlocked(user: SignUp): Promise<string> {
    return this.register(user);
  }
}

@Controller()
export class OnMethods {
  readonly transactions: Transactions;

  constructor(@Inject(Users) private readonly users: Users) {
    this.transactions = users.transactions;
  }

  @Post('service-above')
  serviceAbove(@Body() user: SignUp): Promise<string> {
    return this.users.lockAbove(user);
  }

  @Post('service-below')
  serviceBelow(@Body() user: SignUp): Promise<string> {
    return this.users.lockBelow(user);
  }

  @Post('handler')
  @WithLock('user:<body.email>')
  handler(@Body() user: SignUp): Promise<string> {
    return this.users.unlocked(user);
  }

  @Post('handler-by-argument')
  @WithLock('user:<0.email>')
  handlerByArgument(@Body() user: SignUp): Promise<string> {
    return this.users.unlocked(user);
  }

  @Transactional()
  @WithLock('user:<body.email>')
  @Post('below-by-request')
  belowByRequest(@Body() user: SignUp): Promise<string> {
    return this.users.register(user);
  }

  @Post('above-by-request')
  @WithLock('user:<body.email>')
  @Transactional()
  aboveByRequest(@Body() user: SignUp): Promise<string> {
    return this.users.register(user);
  }

  @Transactional()
  @WithLock('user:<0.email>')
  @Post('below-by-argument')
  belowByArgument(@Body() user: SignUp): Promise<string> {
    return this.users.register(user);
  }

  @Post('interceptor')
  @UseInterceptors(TransactionInterceptor)
  @WithLock('user:<body.email>')
  interceptor(@Body() user: SignUp): Promise<string> {
    return this.users.register(user);
  }

  @Post('interceptor-by-argument')
  @WithLock('user:<0.email>')
  @UseInterceptors(TransactionInterceptor)
  interceptorByArgument(@Body() user: SignUp): Promise<string> {
    return this.users.register(user);
  }
}

@Controller()
@UseInterceptors(TransactionInterceptor)
export class OnController {
  constructor(@Inject(Users) private readonly users: Users) {}

  @Post('interceptor-of-controller')
  @WithLock('user:<body.email>')
  interceptorOfController(@Body() user: SignUp): Promise<string> {
    return this.users.register(user);
  }

  @Post('interceptor-of-controller-by-argument')
  @WithLock('user:<0.email>')
  interceptorOfControllerByArgument(@Body() user: SignUp): Promise<string> {
    return this.users.register(user);
  }
}
