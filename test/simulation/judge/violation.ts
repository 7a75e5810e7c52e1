/** A promise of the library that did not hold. */
export class Violation extends Error {
  constructor(
    readonly promise:
      | 'exclusion'
      | 'continuity'
      | 'token order'
      | 'token stays'
      | 'valid when taken'
      | 'told in time'
      | 'validity ends once'
      | 'lost stays lost'
      | 'leases last'
      | 'waits last'
      | 'waits end'
      | 'no lock left'
      | 'given back stays away'
      | 'everyone is answered'
      | 'no timer left'
      | 'free locks can be had'
      | 'known errors only',
    detail: string,
  ) {
    super(`${promise}: ${detail}`);
    this.name = 'Violation';
  }
}
