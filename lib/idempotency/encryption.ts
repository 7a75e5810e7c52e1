import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Seals texts. `context` is the key of the record: a record that was moved under another key must not open. */
export interface Encryption {
  seal(text: string, context: string): string;
  /** @throws Error for a text that was not sealed by one of its keys for this context */
  open(sealed: string, context: string): string;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals records with AES-256-GCM. `keys` has 32 bytes for each name, and `current` names the one that seals; the others still open what they sealed.
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
    if (name.includes('.')) throw new TypeError(`aesGcm: the name of a key must not contain a dot; got "${name}"`);
    if (key.length !== KEY_BYTES) throw new TypeError(`aesGcm: key "${name}" must have 32 bytes; it has ${key.length}`);
  }
  const sealing = Object.hasOwn(keys, current) ? keys[current] : undefined;
  if (sealing === undefined) throw new TypeError(`aesGcm: there is no key "${current}", which is to seal`);
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
