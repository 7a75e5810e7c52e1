/** Matches how a connection fails where TLS is asked for and something else answers, or nothing does. */
const NO_TLS =
  /ETIMEDOUT|EPROTO|ERR_SSL|before secure TLS connection|wrong version number|packet length too long|record layer/;

/** Returns why a connection failed, with advice where TLS was asked for and did not come about. */
export function whyFailed(error: NodeJS.ErrnoException, { tls }: { readonly tls?: unknown }): string {
  const reason = error.message || (error.code ?? error.name);
  const isNoTls = Boolean(tls) && NO_TLS.test(`${error.code} ${reason}`);
  return isNoTls ? `${reason} - TLS was asked for (rediss://): does this port speak TLS?` : reason;
}
