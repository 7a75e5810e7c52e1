/** Matches how a connection fails where TLS is asked for and something else answers, or nothing does. */
const NO_TLS =
  /ETIMEDOUT|EPROTO|ERR_SSL|before secure TLS connection|wrong version number|packet length too long|record layer/;

/** What to do about a connection that fails, by what its error says. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^NOAUTH/, 'it asks for a password: give the node a password, or credentials()'],
  [
    /^WRONGPASS|invalid password/i,
    'it does not accept this user and password: set the right ones; where they change, let credentials() of the node return them',
  ],
  [/certificate[ _]required/i, 'it asks for a certificate of the client: give tls.cert and tls.key'],
  [/certificate has expired|CERT_HAS_EXPIRED/, 'replace the certificate of the node'],
  [/self[- ]signed|unable to (verify|get).*certificate|unknown ca/i, 'give the CA of both sides: tls.ca here'],
];
/** How a connection ends if the node asks for a certificate of the client, the client has none, and the node has not said so. */
const ENDED = /ECONNRESET|EPIPE/;
const ENDED_REMEDY = 'if the node asks for a certificate of the client, give tls.cert and tls.key';
const BEGIN_REMEDY = 'check the options of the node, and what its credentials() returns';
const NO_TLS_REMEDY = 'TLS was asked for (rediss://): does this port speak TLS?';

/** Matches failures that do not pass by themselves. */
const FOR_OPERATOR = /^(NOAUTH|WRONGPASS|NOPERM|ERR )|certificate|credentials\(\)|unknown ca|TLS was asked for/i;

/** Returns why a connection failed, with advice where it is known what to do. */
export function whyFailed(error: NodeJS.ErrnoException, { tls }: { readonly tls?: object | undefined }): string {
  const reason = withoutValue(error.message) || (error.code ?? error.name);
  const remedy = remedyOf(reason);
  if (remedy !== undefined) return `${reason.replace(/\.?\s*$/, '')} - ${remedy}`;
  if (tls === undefined) return reason;
  const what = `${error.code} ${reason}`;
  if (NO_TLS.test(what)) return `${reason} - ${NO_TLS_REMEDY}`;
  return ENDED.test(what) && !('cert' in tls) ? `${reason} - ${ENDED_REMEDY}` : reason;
}

/** Returns why a connection could not even begin, as with a certificate and a key that do not match. */
export function whyNotBegun(reason: string): string {
  return `the connection could not begin: ${withoutValue(reason)} - ${BEGIN_REMEDY}`;
}

/** An error may end with secrets: Node.js shows a wrong option, such as a key, and a server shows the arguments of an AUTH that it does not know. */
function withoutValue(reason: string): string {
  return reason.replace(/(\.? Received |,? with args beginning with:).*$/s, '');
}

/** Returns what to do about a failure; undefined where nobody knows. */
export function remedyOf(reason: string): string | undefined {
  return REMEDIES.find(([pattern]) => pattern.test(reason))?.[1];
}

/** Returns whether somebody has to do something about a failure, because it does not pass by itself. */
export function isForOperator(reason: string): boolean {
  return FOR_OPERATOR.test(reason);
}
