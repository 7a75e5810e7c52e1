import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mistake } from '../engine/codes.js';

/** Encrypts what is kept. `context` is the key of the record, so that a record opens under its own key only. */
export interface Encryption {
  /** Returns the encrypted text. */
  seal(text: string, context: string): string;
  /** Returns the decrypted text. @throws Error for a text of another key or context */
  open(sealed: string, context: string): string;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts records with AES-256-GCM. `keys` has 32 bytes for each name. The key `current` encrypts; the other keys decrypt older records.
 * @throws TypeError for a key of another length, or an unknown `current`
 */
export function aesGcm({
  current,
  keys,
}: {
  readonly current: string;
  readonly keys: Readonly<Record<string, Uint8Array>>;
}): Encryption {
  for (const [name, key] of Object.entries(keys)) {
    if (name.includes('.'))
      throw mistake('REDLOCK_E12', `aesGcm: the name of a key must not contain a dot; got "${name}"`);
    if (key.length !== KEY_BYTES)
      throw mistake('REDLOCK_E12', `aesGcm: key "${name}" must have 32 bytes; it has ${key.length}`);
  }
  const sealing = Object.hasOwn(keys, current) ? keys[current] : undefined;
  if (sealing === undefined) throw mistake('REDLOCK_E12', `aesGcm: there is no key "${current}", which is to seal`);
  return {
    seal: (text, context) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(context));
      const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()]);
      return `${current}.${Buffer.concat([bytes, cipher.getAuthTag()]).toString('base64')}`;
    },
    open: (sealed, context) => {
      const name = sealed.slice(0, sealed.indexOf('.'));
      const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
      if (key === undefined) throw new Error(`sealed by the key "${name}", which is unknown`);
      const bytes = Buffer.from(sealed.slice(name.length + 1), 'base64');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString();
    },
  };
}
