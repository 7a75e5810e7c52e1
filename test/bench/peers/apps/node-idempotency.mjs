// @ts-expect-error -- installed where this runs
import { Idempotent, NodeIdempotencyInterceptor, NodeIdempotencyModule } from '@node-idempotency/nestjs';

/** @param {{ ports: number[], isDocumented: boolean }} how @returns {import('./application.mjs').Package} */
export function packageOf({ ports: [port], isDocumented }) {
  const storage = { adapter: 'redis', options: { url: `redis://127.0.0.1:${port}` } };
  // Their key has no part for the installation: the two ways of wiring it must not meet each other's records.
  const cacheKeyPrefix = isDocumented ? 'global' : 'decorator';
  return {
    imports: [NodeIdempotencyModule.forRootAsync({ storage, cacheKeyPrefix })],
    handler: () => (isDocumented ? [] : [Idempotent()]),
    isOutermost: isDocumented,
    prepare: (app) => isDocumented && app.useGlobalInterceptors(app.get(NodeIdempotencyInterceptor)),
  };
}
