const SHOWN = 3;

/** Returns the first of many names, and how many more there are. */
export function examples(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).join(', ');
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown;
}
