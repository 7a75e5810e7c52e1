import 'reflect-metadata';

/** Copies what the decorators below this one say about the method to the method that takes its place. */
export function copyMetadata(from: object, to: object): void {
  for (const key of Reflect.getOwnMetadataKeys(from) as unknown[]) {
    const theirs: unknown = Reflect.getOwnMetadata(key, from);
    const ours: unknown = Reflect.getOwnMetadata(key, to);
    const both =
      Array.isArray(ours) && Array.isArray(theirs) ? [...(ours as unknown[]), ...(theirs as unknown[])] : theirs;
    Reflect.defineMetadata(key, both, to);
  }
}
