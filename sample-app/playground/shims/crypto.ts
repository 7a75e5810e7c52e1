/** The simulation brings its own randomness; this is only what the engine names. */
export function randomBytes(length: number): { toString(): string } {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return { toString: () => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('') };
}
