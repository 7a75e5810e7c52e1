/** Shows a value in an error. */
export function inspect(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

inspect.custom = Symbol.for('nodejs.util.inspect.custom');
