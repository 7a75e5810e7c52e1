/** Returns the error once more, with the place of the mistake in front of its message. */
export function placed(error: Error, where: string): Error {
  const Kind = error instanceof RangeError ? RangeError : TypeError;
  return new Kind(`${where}: ${error.message}`, { cause: error });
}
