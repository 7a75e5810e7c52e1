import { describe, expect, it } from '@jest/globals';
import { isForOperator, whyFailed, whyNotBegun } from '../../../../lib/redis/connection/connect-failure.js';
import { toAddresses } from '../../../../lib/redis/connection/settings/node-address.js';

type Form = 'URL' | 'object';
const PLAIN = { URL: toAddresses(['redis://h:7000'])[0]!, object: toAddresses([{ host: 'h', port: 7000 }])[0]! };
const TLS = {
  URL: toAddresses(['rediss://u:s3cret@h:7000/2'])[0]!,
  object: toAddresses([{ host: 'h', port: 7000, tls: {} }])[0]!,
};
const AT_SENTINELS = toAddresses([{ sentinels: [{ host: 'h' }], name: 'm' }])[0]!;
const errorOf = (message: string, code?: string): NodeJS.ErrnoException => Object.assign(new Error(message), { code });

describe('why a connection failed', () => {
  describe.each<[string, string]>([
    ['connect ETIMEDOUT', 'ETIMEDOUT'],
    ['Client network socket disconnected before secure TLS connection was established', 'ECONNRESET'],
    ['write EPROTO 0:error:0A00010B:SSL routines:ssl3_get_record:wrong version number', 'EPROTO'],
    ['0:error:0A0000C6:SSL routines:tls_get_more_records:packet length too long', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'],
  ])('with %s', (message, code) => {
    it.each<[Form, string]>([
      ['URL', 'write redis:// in the place of rediss://'],
      ['object', 'leave out tls'],
    ])('says how to leave TLS out of a node that was written as a %s', (form, remedy) => {
      const reason = `${message} - TLS was asked for: if this port does not speak TLS, ${remedy}`;
      expect(whyFailed(errorOf(message, code), TLS[form])).toBe(reason);
      expect(isForOperator(reason)).toBe(true);
    });
  });

  it('does not speak of TLS that nobody asked for', () => {
    expect(whyFailed(errorOf('connect ETIMEDOUT', 'ETIMEDOUT'), PLAIN.URL)).toBe('connect ETIMEDOUT');
  });

  it.each([
    ["ERR unknown command 'AUTH', with args beginning with: 'ops' 's3cret'", "ERR unknown command 'AUTH'"],
    ['ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `ops`, `s3c', 'ERR unknown command `HELLO`'],
  ])('leaves out the password that a server repeats: %s', (message, shown) => {
    expect(whyFailed(errorOf(message), PLAIN.URL)).toBe(shown);
  });

  describe.each(['read ECONNRESET', 'write EPIPE', 'the node closed the connection before it was ready'])(
    'with "%s"',
    (message) => {
      it.each<[Form, string]>([
        ['URL', 'write rediss:// in the place of redis://'],
        ['object', 'write tls: {}'],
      ])('says how to ask for TLS if the node was written as a %s without TLS', (form, remedy) => {
        const reason = whyFailed(errorOf(message), PLAIN[form]);
        expect(reason).toBe(`${message} - the node may expect TLS: ${remedy}`);
        expect(isForOperator(reason)).toBe(false);
      });

      it.each<[Form, string]>([
        ['URL', "replace the URL by { host: 'h', port: 7000, db: 2, username, password, tls: { cert, key } }"],
        ['object', 'give tls: { cert, key }'],
      ])('says how to give a certificate if the node was written as a %s with TLS', (form, remedy) => {
        const reason = `${message} - if the node asks for a certificate of the client, ${remedy}`;
        expect(whyFailed(errorOf(message), TLS[form])).toBe(reason);
      });

      it('says nothing of a certificate that the client has, and of a server that Sentinels have named', () => {
        const certain = { options: { tls: { cert: 'x' } } };
        expect(whyFailed(errorOf(message), certain)).toBe(message);
        expect(whyFailed(errorOf(message), AT_SENTINELS)).toBe(message);
      });
    },
  );

  const insteadOfUrl = (names: string): string =>
    `{ host: 'h', port: 7000, db: 2, username, password, tls: { ${names} } }`;

  it.each<[string, string, string]>([
    [
      'NOAUTH Authentication required',
      'it asks for a password: give the node a password, or credentials()',
      'it asks for a password: write rediss://:password@host:port',
    ],
    [
      'NOAUTH HELLO must be called with the client already authenticated',
      'it asks for a password: give the node a password, or credentials()',
      'it asks for a password: write rediss://:password@host:port',
    ],
    [
      'WRONGPASS invalid username-password pair or user is disabled',
      'it does not accept this user and password: set the right ones; if they change, let credentials() of the node return them',
      'it does not accept this user and password: write the right ones into the URL',
    ],
    [
      'ERR invalid password',
      'it does not accept this user and password: set the right ones; if they change, let credentials() of the node return them',
      'it does not accept this user and password: write the right ones into the URL',
    ],
    ...[
      'self-signed certificate',
      'unable to verify the first certificate',
      'unable to get local issuer certificate',
    ].map((message): [string, string, string] => [
      message,
      "this process does not know the CA of the node's certificate: give tls: { ca }",
      `this process does not know the CA of the node's certificate: replace the URL by ${insteadOfUrl('ca')}`,
    ]),
    [
      '00:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required',
      'it asks for a certificate of the client: give tls: { cert, key }',
      `it asks for a certificate of the client: replace the URL by ${insteadOfUrl('cert, key')}`,
    ],
    [
      "Hostname/IP does not match certificate's altnames: Host: h. is not in the cert's altnames: DNS:redis.internal",
      'its certificate is for another name: write a name of the certificate as the host, or give tls: { servername }',
      `its certificate is for another name: write a name of the certificate as the host, or replace the URL by ${insteadOfUrl('servername')}`,
    ],
    ['certificate has expired', 'replace the certificate of the node', 'replace the certificate of the node'],
  ])('comes with what to do about it, in the form in which the node was written: %s', (message, forObject, forUrl) => {
    expect(whyFailed(errorOf(`${message}.`), TLS.object)).toBe(`${message} - ${forObject}`);
    expect(whyFailed(errorOf(message), TLS.URL)).toBe(`${message} - ${forUrl}`);
    expect(isForOperator(`${message} - ${forUrl}`)).toBe(true);
  });

  it('says what to do about a certificate of the client that the node does not know', () => {
    expect(whyFailed(errorOf('tlsv1 alert unknown ca'), TLS.object)).toBe(
      "tlsv1 alert unknown ca - the node does not know the CA of the client's certificate: give tls: { cert, key } that it trusts",
    );
  });

  it('is what the error says where that is clear', () => {
    const message = 'connect ECONNREFUSED 127.0.0.1:6379';
    expect(whyFailed(errorOf(message, 'ECONNREFUSED'), TLS.URL)).toBe(message);
  });

  it.each(['connection closed', 'connect ECONNREFUSED 127.0.0.1:6379', 'connect ETIMEDOUT', 'silent for 1000 ms'])(
    'may pass by itself: %s',
    (reason) => {
      expect(isForOperator(reason)).toBe(false);
    },
  );

  it('shows nothing of the value of a wrong option, which may be a key or its passphrase', () => {
    const message = "The property 'options.x' is invalid. Received 's3cret\\n' +\n  's3cret'";
    expect(whyFailed(errorOf(message), TLS.object)).toBe("The property 'options.x' is invalid");
    expect(whyNotBegun(message)).not.toContain('s3cret');
  });

  it('is for somebody to look at where a connection could not even begin', () => {
    expect(isForOperator(whyNotBegun('error:0480006C:PEM routines::no start line'))).toBe(true);
  });

  it.each([
    ['All sentinels are unreachable and retry is disabled.', 'they do not know it'],
    [
      'All sentinels are unreachable and retry is disabled. Last error: connect ECONNREFUSED 10.0.0.9:26379',
      'connect ECONNREFUSED 10.0.0.9:26379',
    ],
  ])('says that no Sentinel names the master: %s', (message, why) => {
    const reason = `no Sentinel names the master: ${why} - check sentinels and name of the node`;
    expect(whyNotBegun(message)).toBe(reason);
    expect(isForOperator(reason)).toBe(true);
  });

  it('is for nobody to look at where a failover has ended an attempt to connect', () => {
    expect(whyNotBegun('Connection is closed.')).toBe('connection closed');
    expect(isForOperator('connection closed')).toBe(false);
  });

  it('is the code, or the name, of an error without a message', () => {
    expect(whyFailed(errorOf('', 'ECONNREFUSED'), PLAIN.URL)).toBe('ECONNREFUSED');
    expect(whyFailed(errorOf(''), PLAIN.URL)).toBe('Error');
  });
});
