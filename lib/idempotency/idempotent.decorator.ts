import 'reflect-metadata';
import { Inject, UseInterceptors } from '@nestjs/common';
import { copyMetadata } from '../with-lock/copy-metadata.js';
import { addMessageFilter } from '../with-lock/reply/message-filter.js';
import { getIdempotencyToken } from './idempotency.tokens.js';
import { idempotentMethod } from './idempotent-method.js';
import { type IdempotentOptions, setIdempotentPlan, toIdempotentPlan } from './idempotent-plan.js';
import { methodInterceptorFor } from './idempotent.interceptor.js';
import { mistake } from '../engine/codes.js';

export type { IdempotentOptions } from './idempotent-plan.js';

/**
 * Runs a method of a controller or provider once for each key, on all replicas. A duplicate gets the reply of the first call. Without a key template,
 * the key is the `Idempotency-Key` header, for each principal and each route.
 * @throws TypeError, RangeError when the class is defined, for a malformed key or option
 * @example
 * ```ts
 * @Post()
 * @Idempotent()
 * async create(@Body() body: OrderDto) {}
 *
 * @Post()
 * @Idempotent('signup:<body.email|trim|lower>')
 * async signUp(@Body() body: SignUpDto) {}
 * ```
 */
export function Idempotent(options?: IdempotentOptions): MethodDecorator;
export function Idempotent(key: string, options?: IdempotentOptions): MethodDecorator;
export function Idempotent(first?: string | IdempotentOptions, second?: IdempotentOptions): MethodDecorator {
  refuseBare(first, second);
  const key = typeof first === 'string' ? first : undefined;
  const options = (typeof first === 'string' ? second : first) ?? {};
  return (target: object, name: string | symbol, descriptor: PropertyDescriptor | undefined) => {
    const owner = typeof target === 'function' ? target : target.constructor;
    const where = `@Idempotent on ${owner.name}.${String(name)}`;
    const method: unknown = descriptor?.value;
    if (descriptor === undefined || typeof target === 'function' || typeof method !== 'function')
      throw mistake(
        'REDLOCK_E08',
        `${where}: only methods of instances can be idempotent, since Nest injects into those`,
      );
    if (Object.prototype.toString.call(method).endsWith('GeneratorFunction]'))
      throw mistake(
        'REDLOCK_E08',
        `${where}: what a generator gives can be read only once; return an Observable or a promise`,
      );
    const plan = toIdempotentPlan(key, options, where);
    // Nest shows this name if the module is missing.
    const service = Symbol.for(serviceProperty(plan.pool));
    Inject(getIdempotencyToken(plan.pool))(target, service);
    const kept = idempotentMethod({ target, name, method: method as () => unknown, plan, service });
    UseInterceptors(methodInterceptorFor(plan.pool))(target, name, { ...descriptor, value: kept });
    addMessageFilter(owner);
    copyMetadata(method, kept);
    setIdempotentPlan(kept, plan);
    descriptor.value = kept;
  };
}

function serviceProperty(pool: string | undefined): string {
  const options = pool === undefined ? '' : `{ name: '${pool}' }`;
  return `@Idempotent needs RedlockIdempotencyModule.forRoot(${options}) among the imports of the module`;
}

/** Refuses `@Idempotent` without brackets: it is then called with what it stands on. */
function refuseBare(first: unknown, second: unknown): void {
  const isName = typeof second === 'string' || typeof second === 'symbol';
  if (typeof first !== 'function' && !isName) return;
  const owner = typeof first === 'function' ? first : (first as object).constructor;
  throw mistake(
    'REDLOCK_E08',
    `@Idempotent on ${owner.name}${isName ? `.${String(second)}` : ''}: write @Idempotent() or @Idempotent('...') with a key, above a method`,
  );
}
