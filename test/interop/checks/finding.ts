/** What a check found. */
export interface Finding {
  /** Whether it is what has to be; a check of what cannot be safe passes where it finds two holders. */
  readonly isExpected: boolean;
  readonly text: string;
}

export function finding(isExpected: boolean, text: string): Finding {
  return { isExpected, text };
}

/** Returns the finding of a check by all that it requires. */
export function allOf(requirements: Readonly<Record<string, boolean>>, text = 'yes'): Finding {
  const missing = Object.entries(requirements).filter(([, holds]) => !holds);
  return missing.length === 0 ? finding(true, text) : finding(false, `NO: ${missing.map(([name]) => name).join(', ')}`);
}
