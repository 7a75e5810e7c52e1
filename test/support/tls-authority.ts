import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate, type SubjectAltNameEntry } from 'selfsigned';
import { keeper } from './redis-server/keeper.js';
import type { TlsCertificate } from './tls-certificate.js';

/** A certificate with its key, PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const KIND = { keyType: 'ec', algorithm: 'sha256' } as const;
const ALT_NAMES: SubjectAltNameEntry[] = [
  { type: 2, value: 'localhost' },
  { type: 7, ip: '127.0.0.1' },
];

/** A private authority that signs certificates for nodes and clients. */
export class TlsAuthority {
  private constructor(private readonly own: KeyPair) {}

  static async make(name: string): Promise<TlsAuthority> {
    const extensions = [
      { name: 'basicConstraints' as const, cA: true, critical: true },
      { name: 'keyUsage' as const, keyCertSign: true, cRLSign: true, critical: true },
    ];
    const { cert, private: key } = await generate([{ name: 'commonName', value: name }], { ...KIND, extensions });
    return new TlsAuthority({ cert, key });
  }

  /** What others have to trust, PEM. */
  get certificate(): string {
    return this.own.cert;
  }

  /** Signs a certificate for a node of this machine, or for a client. */
  async issue(name: string): Promise<KeyPair> {
    const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
      ...KIND,
      ca: this.own,
      extensions: [
        { name: 'basicConstraints', cA: false },
        { name: 'subjectAltName', altNames: ALT_NAMES },
      ],
    });
    return { cert, key };
  }
}

/** The files of a node that has its certificate from an authority, in a folder of their own. */
export async function writeTlsFiles(authority: TlsAuthority): Promise<TlsCertificate> {
  const folder = await mkdtemp(join(tmpdir(), 'redlock-tls-'));
  keeper.add('folder', folder);
  // A node in a container runs as another user.
  await chmod(folder, 0o755);
  const { cert, key } = await authority.issue('node');
  const [certFile, keyFile, caFile] = ['cert.pem', 'key.pem', 'ca.pem'].map((file) => join(folder, file)) as [
    string,
    string,
    string,
  ];
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key), writeFile(caFile, authority.certificate)]);
  const remove = async (): Promise<void> => {
    await rm(folder, { recursive: true, force: true });
    keeper.remove('folder', folder);
  };
  return { certificate: authority.certificate, certFile, keyFile, caFile, remove };
}
