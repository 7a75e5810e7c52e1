import { Logger } from '@nestjs/common';
import type { RedlockError } from '../../core/api/errors.js';

const logger = new Logger('RedlockService');

/** Logs, at debug level, what a client that has sent no usable key is not told. */
export function logKeyError(error: unknown): void {
  const { code, message } = (error ?? {}) as Partial<RedlockError>;
  if (code === 'LOCK_KEY') logger.debug(`A call has no usable key, and is refused: ${message}`);
}
