import { Body, Controller, Inject, Post, UseInterceptors, UsePipes } from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { Door } from './door.js';
import { Accepting, Entering, TimingOut } from './giving-up.js';
import { Commit, Commits, Committing } from './late-commits.js';
import { LazyQuery } from './lazy-query.js';

const JOIN = { onContended: 'join' } as const;

/** Handlers whose own interceptors answer early. */
@Controller('method')
export class OnMethod {
  constructor(@Inject(Door) private readonly door: Door) {}

  @Post('promise')
  @UseInterceptors(TimingOut)
  @WithLock('order:<body.id>')
  promise(): Promise<void> {
    return this.door.pass();
  }

  @Post('thenable')
  @UseInterceptors(TimingOut)
  @WithLock('order:<body.id>')
  thenable(): PromiseLike<void> {
    return new LazyQuery(() => this.door.pass());
  }

  @Post('join')
  @UseInterceptors(TimingOut)
  @WithLock('order:<body.id>', JOIN)
  join(): Promise<void> {
    return this.door.pass();
  }

  @Post('by-argument')
  @UseInterceptors(TimingOut)
  @WithLock('order:<0>')
  byArgument(@Body('id') _id: string): PromiseLike<void> {
    return new LazyQuery(() => this.door.pass());
  }

  @Post('accepted')
  @UseInterceptors(Accepting)
  @WithLock('order:<body.id>')
  accepted(): Promise<void> {
    return this.door.pass();
  }

  @Post('accepted-join')
  @UseInterceptors(Accepting)
  @WithLock('order:<body.id>', JOIN)
  acceptedJoin(): Promise<void> {
    return this.door.pass();
  }
}

/** Handlers whose own interceptors answer before their pipes are done. */
@Controller('pipes')
@UsePipes(Entering)
export class BehindPipes {
  constructor(@Inject(Door) private readonly door: Door) {}

  @Post('accepted')
  @UseInterceptors(Accepting)
  @WithLock('order:<body.id>')
  accepted(@Body('id') _id: string): Promise<void> {
    return this.door.pass();
  }

  @Post('accepted-join')
  @UseInterceptors(Accepting)
  @WithLock('order:<body.id>', JOIN)
  acceptedJoin(@Body('id') _id: string): Promise<void> {
    return this.door.pass();
  }
}

/** Handlers whose controller answers early. */
@Controller('controller')
@UseInterceptors(TimingOut)
export class OnController {
  constructor(
    @Inject(Door) private readonly door: Door,
    @Inject(Commits) readonly commits: Commits,
  ) {}

  @Post('promise')
  @WithLock('order:<body.id>')
  promise(): Promise<void> {
    return this.door.pass();
  }

  @Post('thenable')
  @WithLock('order:<body.id>')
  thenable(): PromiseLike<void> {
    return new LazyQuery(() => this.door.pass());
  }

  @Post('by-argument')
  @WithLock('order:<0>')
  byArgument(@Body('id') _id: string): PromiseLike<void> {
    return new LazyQuery(() => this.door.pass());
  }

  @Post('join')
  @WithLock('order:<body.id>', JOIN)
  join(): Promise<void> {
    return this.door.pass();
  }

  @Post('decorator')
  @Commit()
  @WithLock('order:<body.id>')
  decorator(): Promise<void> {
    return this.door.pass();
  }

  @Post('interceptor')
  @UseInterceptors(Committing)
  @WithLock('order:<body.id>')
  interceptor(): PromiseLike<void> {
    return new LazyQuery(() => this.door.pass());
  }
}
