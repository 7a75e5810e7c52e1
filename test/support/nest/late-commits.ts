import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { Door } from './door.js';

/** The door in which what is around a method stands when it commits. */
export class Commits extends Door {}

/** A transaction interceptor as those of libraries are: it awaits the method, and commits. */
@Injectable()
export class Committing implements NestInterceptor {
  constructor(@Inject(Commits) private readonly commits: Commits) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return from(this.#transaction(() => lastValueFrom(next.handle())));
  }

  async #transaction(work: () => Promise<unknown>): Promise<unknown> {
    const result = await work();
    await this.commits.pass();
    return result;
  }
}

type Method = (this: { commits: Commits }, ...args: unknown[]) => unknown;

/** A transaction decorator that keeps the metadata of the method in whose place it puts its own. */
export function Commit(): MethodDecorator {
  return (_target, _name, descriptor: PropertyDescriptor) => {
    const work = descriptor.value as Method;
    const wrapper = async function (this: { commits: Commits }, ...args: unknown[]): Promise<unknown> {
      const result = await work.apply(this, args);
      await this.commits.pass();
      return result;
    };
    for (const key of Reflect.getMetadataKeys(work) as unknown[])
      Reflect.defineMetadata(key, Reflect.getMetadata(key, work), wrapper);
    descriptor.value = wrapper;
  };
}
