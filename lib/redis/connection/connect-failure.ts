import type { NodeAddress } from './settings/node-address.js';
import { nodeText } from './wire/node-text.js';

/** A node in the form in which the user wrote it, with the options that its connection has now. */
type WrittenNode = Pick<NodeAddress, 'options' | 'isUrl'>;

/** Matches how a connection fails if TLS is asked for and something else answers, or nothing does. */
const NO_TLS =
  /ETIMEDOUT|EPROTO|ERR_SSL|before secure TLS connection|wrong version number|packet length too long|record layer/;
/** Matches how a node closes a connection without a reason: only one side speaks TLS, or the client has no certificate. */
const ENDED = /ECONNRESET|EPIPE|the node closed the connection/;
const SENTINELS_FAILED = /^All sentinels are unreachable and retry is disabled\.(?: Last error: )?/;

/** What to do about a connection that fails, by what its error says. */
const REMEDIES: readonly (readonly [RegExp, (node: WrittenNode) => string])[] = [
  [
    /^NOAUTH/,
    ({ isUrl, options }) =>
      `it asks for a password: ${isUrl ? `write ${options.tls ? 'rediss' : 'redis'}://:password@host:port` : 'give the node a password, or credentials()'}`,
  ],
  [
    /^WRONGPASS|invalid password/i,
    ({ isUrl }) =>
      `it does not accept this user and password: ${isUrl ? 'write the right ones into the URL' : 'set the right ones; if they change, let credentials() of the node return them'}`,
  ],
  [/certificate[ _]required/i, (node) => `it asks for a certificate of the client: ${withTls(node, 'cert, key')}`],
  [/certificate has expired|CERT_HAS_EXPIRED/, () => 'replace the certificate of the node'],
  [
    /self[- ]signed|unable to (verify|get).*certificate/i,
    (node) => `this process does not know the CA of the node's certificate: ${withTls(node, 'ca')}`,
  ],
  [
    /unknown ca/i,
    (node) => `the node does not know the CA of the client's certificate: ${withTls(node, 'cert, key')} that it trusts`,
  ],
  [
    /certificate's altnames/,
    (node) =>
      `its certificate is for another name: write a name of the certificate as the host, or ${withTls(node, 'servername')}`,
  ],
];
const BEGIN_REMEDY = 'check the options of the node, and what its credentials() returns';

/** Matches failures that do not pass by themselves. */
const FOR_OPERATOR =
  /^(NOAUTH|WRONGPASS|NOPERM|ERR )|certificate|credentials\(\)|unknown ca|TLS was asked for|^no Sentinel/i;

/** Returns why a connection failed, with advice if it is known what to do. */
export function whyFailed(error: NodeJS.ErrnoException, node: WrittenNode): string {
  const reason = withoutValue(nodeText(error.message)) || (error.code ?? error.name);
  const remedy =
    REMEDIES.find(([pattern]) => pattern.test(reason))?.[1](node) ?? tlsRemedy(`${error.code} ${reason}`, node);
  return remedy === undefined ? reason : `${reason.replace(/\.?\s*$/, '')} - ${remedy}`;
}

/** Returns what to do if one side may speak TLS and the other does not, or if the node may miss a certificate. */
function tlsRemedy(what: string, node: WrittenNode): string | undefined {
  const {
    isUrl,
    options: { tls, sentinels },
  } = node;
  if (tls && NO_TLS.test(what))
    return `TLS was asked for: if this port does not speak TLS, ${isUrl ? 'write redis:// in the place of rediss://' : 'leave out tls'}`;
  if (!ENDED.test(what) || sentinels) return undefined;
  if (!tls) return `the node may expect TLS: write ${isUrl ? 'rediss:// in the place of redis://' : 'tls: {}'}`;
  return 'cert' in tls ? undefined : `if the node asks for a certificate of the client, ${withTls(node, 'cert, key')}`;
}

/** Says how to give options of TLS, which a URL cannot carry. The words after `host` and `port` are for values of the user, as in TypeScript. */
function withTls({ isUrl, options }: WrittenNode, names: string): string {
  const tls = `tls: { ${names} }`;
  if (!isUrl) return `give ${tls}`;
  const { host, port, db, username, password } = options;
  const [first, ...others] = [
    `host: '${host}'`,
    `port: ${port}`,
    db && `db: ${db}`,
    username && 'username',
    password && 'password',
    tls,
  ];
  return `replace the URL by { ${[first, ...others.filter(Boolean)].join(', ')} }`;
}

/** Returns why a connection could not even begin, as with a certificate and a key that do not match. */
export function whyNotBegun(reason: string): string {
  // So ends an attempt during which the Sentinels announce another master.
  if (reason === 'Connection is closed.') return 'connection closed';
  if (SENTINELS_FAILED.test(reason)) {
    const why = nodeText(reason.replace(SENTINELS_FAILED, '')) || 'they do not know it';
    return `no Sentinel names the master: ${why} - check sentinels and name of the node`;
  }
  return `the connection could not begin: ${withoutValue(nodeText(reason))} - ${BEGIN_REMEDY}`;
}

/** An error may end with secrets: Node.js shows a wrong option, such as a key, and a server shows the arguments of an AUTH that it does not know. */
function withoutValue(reason: string): string {
  return reason.replace(/(\.? Received |,? with args beginning with:).*$/s, '');
}

/** Returns whether somebody has to do something about a failure, because it does not pass by itself. */
export function isForOperator(reason: string): boolean {
  return FOR_OPERATOR.test(reason);
}
