import type { TlsCertificate } from '../tls-certificate.js';

export interface RedisServerOptions {
  /** More arguments for redis-server, as on its command line: `['--requirepass', 'secret']`. */
  args?: string[];
  /** Which of `serverPrograms` runs; by default the first one. */
  program?: string;
  /** Speak TLS only, with this certificate. */
  tls?: TlsCertificate;
}

/** One redis-server, as far as the two ways to run it differ. */
export interface RedisProcess {
  /** The process's id, where it is one of this machine. */
  readonly pid: number | undefined;
  /** Resolves when commands are accepted; rejects with `PortTakenError` when another has the port. */
  start(port: number): Promise<void>;
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Ends it at once, in whatever state it is; no error when it is gone. */
  kill(): Promise<void>;
  /** Removes what it leaves behind. */
  remove(): Promise<void>;
}

/** The arguments that both ways share: nothing is written, nothing is evicted, unless a test asks for it. */
export function serverArguments(port: number, { args = [], tls }: RedisServerOptions): string[] {
  const listen = tls ? ['--port', '0', '--tls-port', String(port), ...tlsArguments(tls)] : ['--port', String(port)];
  return [...listen, '--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction', ...args];
}

function tlsArguments({ certFile, keyFile, caFile = certFile }: TlsCertificate): string[] {
  return [
    '--tls-cert-file',
    certFile,
    '--tls-key-file',
    keyFile,
    '--tls-ca-cert-file',
    caFile,
    '--tls-auth-clients',
    'no',
  ];
}
