import type { Redis } from 'ioredis';

/** ioredis listens for the first error only; a second one, as an alert of TLS may be, would end the process. */
export function outliveErrors(stream: Pick<Redis['stream'], 'on'> | undefined): void {
  stream?.on('error', ignore);
}

/**
 * ioredis listens by `prependListener`, by which Node does not notice that somebody does: it would put what arrives into a buffer
 * and read it from there one tick later.
 */
export function readAtOnce(stream: Pick<Redis['stream'], 'on'>): void {
  stream.on('data', ignore);
}

function ignore(): void {
  // ioredis takes care of it.
}
