/** Computes for so many ms without giving control back, as hashing a password does. */
export function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
