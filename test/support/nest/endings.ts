import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { tap, type Observable } from 'rxjs';
import { Deferred } from './deferred.js';

type Ending =
  | { readonly path: string; readonly how: 'completed' | 'left' }
  | { readonly path: string; readonly how: 'failed'; readonly error: unknown };

/** A global interceptor: sees from outside how each request ends, also where no client is there to be told. */
export class Endings implements NestInterceptor {
  readonly all: Ending[] = [];
  #changed = new Deferred();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const path = context.getHandler().name;
    return next.handle().pipe(
      tap({
        complete: () => this.#tell({ path, how: 'completed' }),
        error: (error: unknown) => this.#tell({ path, how: 'failed', error }),
        unsubscribe: () => this.#tell({ path, how: 'left' }),
      }),
    );
  }

  /** Resolves once so many have ended. */
  async until(count: number): Promise<void> {
    while (this.all.length < count) await this.#changed.promise;
  }

  #tell(ending: Ending): void {
    this.all.push(ending);
    this.#changed.resolve();
    this.#changed = new Deferred();
  }
}
