import { createHash } from 'node:crypto';

/** What may be done to a part of a key, as in `<body.email|trim|lower>`. */
export const KEY_FILTERS: Readonly<Record<string, (text: string) => string>> = {
  trim: (text) => text.trim(),
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
  /** For long values, and for those that should not be readable on the nodes. */
  hash: (text) => createHash('sha256').update(text).digest('base64url'),
};
