import { describe, expect, it } from '@jest/globals';
import { isForOperator, whyFailed, whyNotBegun } from '../../../../lib/redis/connection/connect-failure.js';

const [WITH, WITHOUT] = [{ tls: {} }, {}];
const HINT = / - TLS was asked for \(rediss:\/\/\): does this port speak TLS\?$/;
const errorOf = (message: string, code?: string): NodeJS.ErrnoException => Object.assign(new Error(message), { code });

describe('why a connection failed', () => {
  it.each([
    ['connect ETIMEDOUT', 'ETIMEDOUT'],
    ['Client network socket disconnected before secure TLS connection was established', 'ECONNRESET'],
    ['write EPROTO 0:error:0A00010B:SSL routines:ssl3_get_record:wrong version number', 'EPROTO'],
    ['0:error:0A0000C6:SSL routines:tls_get_more_records:packet length too long', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'],
  ])('asks whether the port speaks TLS where that was asked for: %s', (message, code) => {
    expect(whyFailed(errorOf(message, code), WITH)).toMatch(HINT);
    expect(whyFailed(errorOf(message, code), WITH).startsWith(message)).toBe(true);
    expect(whyFailed(errorOf(message, code), WITHOUT)).toBe(message);
  });

  it.each([
    ["ERR unknown command 'AUTH', with args beginning with: 'ops' 's3cret'", "ERR unknown command 'AUTH'"],
    ['ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `ops`, `s3c', 'ERR unknown command `HELLO`'],
  ])('leaves out the password that a server repeats: %s', (message, shown) => {
    expect(whyFailed(errorOf(message), WITHOUT)).toBe(shown);
  });

  it.each([
    ['connect ECONNREFUSED 127.0.0.1:6379', 'ECONNREFUSED'],
    ["Hostname/IP does not match certificate's altnames", 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('is what the error says where that is clear: %s', (message, code) => {
    expect(whyFailed(errorOf(message, code), WITH)).toBe(message);
  });

  it.each<[string, RegExp]>([
    ['NOAUTH HELLO must be called with the client already authenticated', /password, or credentials\(\)$/],
    ['NOAUTH Authentication required.', / required - it asks for a password: give the node a password/],
    ['WRONGPASS invalid username-password pair or user is disabled.', /let credentials\(\) of the node return them$/],
    ['ERR invalid password', /it does not accept this user and password/],
    ['self-signed certificate', /give the CA of both sides: tls\.ca here$/],
    ['unable to verify the first certificate', /tls\.ca here$/],
    [
      '00:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required',
      /give tls\.cert and tls\.key$/,
    ],
    ['certificate has expired', /replace the certificate of the node$/],
  ])('comes with what to do about it: %s', (message, remedy) => {
    expect(whyFailed(errorOf(message), WITH)).toMatch(remedy);
    expect(whyFailed(errorOf(message), WITH).startsWith(`${message.replace(/\.$/, '')} - `)).toBe(true);
    expect(isForOperator(whyFailed(errorOf(message), WITH))).toBe(true);
  });

  it.each(['read ECONNRESET', 'write EPIPE'])(
    'may come of a missing certificate of the client, with TLS: %s',
    (message) => {
      const remedy = ' - if the node asks for a certificate of the client, give tls.cert and tls.key';
      expect(whyFailed(errorOf(message), WITH)).toBe(message + remedy);
      expect(whyFailed(errorOf(message), { tls: { cert: 'x' } })).toBe(message);
      expect(whyFailed(errorOf(message), WITHOUT)).toBe(message);
    },
  );

  it.each(['connection closed', 'connect ECONNREFUSED 127.0.0.1:6379', 'connect ETIMEDOUT', 'silent for 1000 ms'])(
    'may pass by itself: %s',
    (reason) => {
      expect(isForOperator(reason)).toBe(false);
    },
  );

  it('shows nothing of the value of a wrong option, which may be a key or its passphrase', () => {
    const message = "The property 'options.x' is invalid. Received 's3cret\\n' +\n  's3cret'";
    expect(whyFailed(errorOf(message), WITH)).toBe("The property 'options.x' is invalid");
    expect(whyNotBegun(message)).not.toContain('s3cret');
  });

  it('is for somebody to look at where a connection could not even begin', () => {
    expect(isForOperator(whyNotBegun('error:0480006C:PEM routines::no start line'))).toBe(true);
  });

  it('is the code, or the name, of an error without a message', () => {
    expect(whyFailed(errorOf('', 'ECONNREFUSED'), WITHOUT)).toBe('ECONNREFUSED');
    expect(whyFailed(errorOf(''), WITHOUT)).toBe('Error');
  });
});
