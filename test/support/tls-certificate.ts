import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { keeper } from './redis-server/keeper.js';

export interface TlsCertificate {
  /** PEM: what a client has to trust. */
  readonly certificate: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** Whose certificates the node trusts, where it is not its own that signs itself. */
  readonly caFile?: string;
  remove(): Promise<void>;
}

/** A self-signed certificate for 127.0.0.1 and localhost, or for another name, in a temporary folder. */
export async function createTlsCertificate(name?: string): Promise<TlsCertificate> {
  const folder = await mkdtemp(join(tmpdir(), 'redlock-tls-'));
  keeper.add('folder', folder);
  // A node in a container runs as another user.
  await chmod(folder, 0o755);
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: name
          ? [{ type: 2, value: name }]
          : [
              { type: 2, value: 'localhost' },
              { type: 7, ip: '127.0.0.1' },
            ],
      },
    ],
  });
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(certFile, cert);
  await writeFile(keyFile, key);
  return { certificate: cert, certFile, keyFile, remove: () => remove(folder) };
}

async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  keeper.remove('folder', folder);
}
