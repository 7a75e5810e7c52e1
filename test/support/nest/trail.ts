import 'reflect-metadata';
import {
  Body,
  Catch,
  Controller,
  ForbiddenException,
  Inject,
  Injectable,
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { RedlockService } from 'nestjs-redlock';
import { defer, finalize, type Observable } from 'rxjs';

export interface Dto {
  readonly id: string;
}

/** Steps of a call, in order. */
@Injectable()
export class Trail {
  readonly steps: string[] = [];

  constructor(@Inject(RedlockService) redlock: RedlockService) {
    redlock.events$.subscribe((event) => this.steps.push(event.type));
  }
}

@Injectable()
export class RoleGuard implements CanActivate {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(Trail) private readonly trail: Trail,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const role = this.reflector.get<string | undefined>('role', context.getHandler());
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    this.trail.steps.push(`guard for ${role}`);
    return headers['x-role'] === role;
  }
}

@Injectable()
export class Timing implements NestInterceptor {
  constructor(@Inject(Trail) private readonly trail: Trail) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return defer(() => {
      this.trail.steps.push('interceptor in');
      return next.handle().pipe(finalize(() => this.trail.steps.push('interceptor out')));
    });
  }
}

@Injectable()
export class LowerCase implements PipeTransform<Dto, Dto> {
  constructor(@Inject(Trail) private readonly trail: Trail) {}

  transform({ id }: Dto): Dto {
    this.trail.steps.push('pipe');
    return { id: id.toLowerCase() };
  }
}

@Catch(ForbiddenException)
export class Teapot implements ExceptionFilter {
  catch(_error: ForbiddenException, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<{ status(code: number): { send(body: string): void } }>();
    response.status(418).send('no entry');
  }
}

type Method = (this: { trail: Trail }, ...args: unknown[]) => unknown;

/** A decorator that puts a method of its own in the place of the one below. */
export function wrapped(name: string, keepsMetadata: boolean): MethodDecorator {
  return (_target, _name, descriptor: PropertyDescriptor) => {
    const work = descriptor.value as Method;
    const wrapper = async function (this: { trail: Trail }, ...args: unknown[]): Promise<unknown> {
      this.trail.steps.push(`${name} in`);
      try {
        return await work.apply(this, args);
      } finally {
        this.trail.steps.push(`${name} out`);
      }
    };
    for (const key of (keepsMetadata ? Reflect.getMetadataKeys(work) : []) as unknown[])
      Reflect.defineMetadata(key, Reflect.getMetadata(key, work), wrapper);
    descriptor.value = wrapper;
  };
}

/** A controller with one handler, decorated from the highest decorator to the lowest. */
export function controllerOf(path: string, decorators: readonly MethodDecorator[]): Type {
  class Handlers {
    constructor(readonly trail: Trail) {}

    handle({ id }: Dto): string {
      this.trail.steps.push('handler');
      return id;
    }
  }
  Body()(Handlers.prototype, 'handle', 0);
  Inject(Trail)(Handlers, undefined, 0);
  const descriptor = Object.getOwnPropertyDescriptor(Handlers.prototype, 'handle')!;
  for (const decorator of [...decorators].reverse()) decorator(Handlers.prototype, 'handle', descriptor);
  Object.defineProperty(Handlers.prototype, 'handle', descriptor);
  Controller(path)(Handlers);
  return Handlers;
}
