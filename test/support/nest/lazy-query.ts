/** A thenable as query builders make them: it does nothing before `then()` is called, and does all of it again with each further call. */
export class LazyQuery<T> implements PromiseLike<T> {
  runs = 0;

  constructor(private readonly run: () => Promise<T>) {}

  // oxlint-disable-next-line unicorn/no-thenable -- a thenable is what the tests are about
  then<A = T, B = never>(
    fulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.runs += 1;
    return this.run().then(fulfilled, rejected);
  }
}
