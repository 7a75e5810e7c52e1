import type { Redis } from 'ioredis';

/** Keeps errors from ending the process. ioredis listens for the first error only, and a second one may follow, such as an alert of TLS. */
export function outliveErrors(stream: Pick<Redis['stream'], 'on'> | undefined): void {
  stream?.on('error', ignore);
}

/**
 * Makes Node pass input on at once. ioredis listens by `prependListener`, which Node does not notice: it would put the input into a buffer,
 * and read it from there one tick later.
 */
export function readAtOnce(stream: Pick<Redis['stream'], 'on'>): void {
  stream.on('data', ignore);
}

function ignore(): void {
  // ioredis handles it.
}
