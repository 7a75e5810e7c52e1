import { UseInterceptors } from '@nestjs/common';
// @ts-expect-error -- installed where this runs
import { Idempotent, IdempotencyInterceptor, IdempotencyModule, RedisStorage } from '@nestarc/idempotency';
import { Redis } from 'ioredis';

/** @param {{ ports: number[], isDocumented: boolean }} how @returns {import('./application.mjs').Package} */
export function packageOf({ ports: [port = 0], isDocumented }) {
  const client = new Redis({ port, host: '127.0.0.1' });
  const keyPrefix = isDocumented ? 'global:' : 'controller:';
  const more = {
    processingTtl: 60,
    scope: (/** @type {import('@nestjs/common').ExecutionContext} */ context) => {
      const { user, method, path } = context.switchToHttp().getRequest();
      return `${user.id} ${method} ${path}`;
    },
  };
  return {
    imports: [
      IdempotencyModule.forRoot({
        storage: new RedisStorage({ client, keyPrefix }),
        ttl: 86_400,
        ...(isDocumented && more),
      }),
    ],
    handler: () => [Idempotent()],
    controller: isDocumented ? [] : [UseInterceptors(IdempotencyInterceptor)],
    isOutermost: isDocumented,
    prepare: (app) => isDocumented && app.useGlobalInterceptors(app.get(IdempotencyInterceptor)),
  };
}
