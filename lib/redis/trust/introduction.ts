import type { Redis } from 'ioredis';
import { Batch } from '../batch/batch.js';
import type { Encoder } from '../batch/batch-encoder.js';
import { WireCommand, type Reply } from '../connection/wire/wire-command.js';

/** Sends the script text with an empty batch. The node then knows the script, is checked where restarts matter, and says what time it has. */
export function introduce(redis: Redis, encoder: Pick<Encoder, 'wire'>): Promise<Reply> {
  return new Promise((resolve) => {
    const wire = encoder.wire(new Batch(), 'eval');
    void redis.sendCommand(new WireCommand('eval', wire, { replied: resolve, failed: resolve }));
  });
}
