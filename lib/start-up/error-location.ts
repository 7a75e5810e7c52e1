/** Returns the error once more, with the place of the mistake in front of its message. */
export function located(error: Error, where: string): Error {
  const Kind = error instanceof RangeError ? RangeError : TypeError;
  return new Kind(`${where}: ${error.message}`, { cause: error });
}

/** Runs `work`, and names the place in the error that it throws. */
export function locating<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw located(error as Error, where);
  }
}
