import type { Redis } from 'ioredis';
import { ignore } from '../../../core/time/ignore.js';

/** Keeps errors from ending the process. ioredis listens for the first error only, and a second one may follow, such as an alert of TLS. */
export function outliveErrors(stream: Pick<Redis['stream'], 'on'> | undefined): void {
  // ioredis handles it.
  stream?.on('error', ignore);
}

/**
 * Makes Node pass input on at once. ioredis listens by `prependListener`, which Node does not notice: it would put the input into a buffer,
 * and read it from there one tick later.
 */
export function readAtOnce(stream: Pick<Redis['stream'], 'on'>): void {
  // ioredis handles it.
  stream.on('data', ignore);
}
