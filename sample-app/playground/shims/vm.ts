/** Nobody replaces the clock of the page. */
export function runInNewContext(): never {
  throw new Error('A page has no other context');
}
