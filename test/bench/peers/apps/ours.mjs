import { RedlockModule } from 'nestjs-redlock';
import { Idempotent, RedlockIdempotencyModule } from 'nestjs-redlock/idempotency';

/** @param {{ ports: number[] }} how @returns {import('./application.mjs').Package} */
export function packageOf({ ports }) {
  const nodes = ports.map((port) => `redis://127.0.0.1:${port}`);
  return {
    imports: [
      RedlockModule.forRoot({ nodes, waitForQuorum: 35_000 }),
      RedlockIdempotencyModule.forRoot({ principal: '<user.id>' }),
    ],
    handler: () => [Idempotent()],
    refusing: () => [Idempotent({ onInterrupted: 'refuse' })],
  };
}
