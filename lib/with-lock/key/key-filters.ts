import { createHash } from 'node:crypto';

type Filter = (text: string) => string;

const FILTERS = {
  trim: (text: string) => text.trim(),
  lower: (text: string) => text.toLowerCase(),
  upper: (text: string) => text.toUpperCase(),
  /** For long values, and for those that should not be readable on the nodes. */
  hash: (text: string) => createHash('sha256').update(text).digest('base64url'),
};

export type KeyFilter = keyof typeof FILTERS;

/** The filters for a part of a key, as in `<body.email|trim|lower>`. */
export const KEY_FILTERS: Readonly<Record<string, Filter>> = FILTERS;
