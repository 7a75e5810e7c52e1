import {
  Inject,
  Injectable,
  RequestTimeoutException,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type PipeTransform,
} from '@nestjs/common';
import { from, map, of, race, type Observable } from 'rxjs';
import { Deferred } from './deferred.js';
import { Door } from './door.js';

/** Says when the time of the requests under way is up; those that come later have time again. */
@Injectable()
export class Patience {
  #up = new Deferred();

  get up(): Promise<void> {
    return this.#up.promise;
  }

  end(): void {
    this.#up.resolve();
    this.#up = new Deferred();
  }
}

/** The timeout interceptor of Nest's documentation, whose time is up when the test says so. */
@Injectable()
export class TimingOut implements NestInterceptor {
  constructor(@Inject(Patience) private readonly patience: Patience) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const timeout = from(this.patience.up).pipe(
      map(() => {
        throw new RequestTimeoutException();
      }),
    );
    return race(next.handle(), timeout);
  }
}

/** Answers at once, and lets the method do its work behind that. */
@Injectable()
export class Accepting implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    next.handle().subscribe();
    return of('accepted');
  }
}

/** The door in which a request stands before its method begins. */
export class Entrance extends Door {}

@Injectable()
export class Entering implements PipeTransform {
  constructor(@Inject(Entrance) private readonly entrance: Entrance) {}

  async transform(value: unknown): Promise<unknown> {
    await this.entrance.pass();
    return value;
  }
}
