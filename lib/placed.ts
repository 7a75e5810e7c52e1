/** The same error, with the place that it is about before its message. */
export function placed(error: Error, where: string): Error {
  const Kind = error instanceof RangeError ? RangeError : TypeError;
  return new Kind(`${where}: ${error.message}`, { cause: error });
}
