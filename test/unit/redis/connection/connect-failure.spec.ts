import { describe, expect, it } from '@jest/globals';
import { whyFailed } from '../../../../lib/redis/connection/connect-failure.js';

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
    ['connect ECONNREFUSED 127.0.0.1:6379', 'ECONNREFUSED'],
    ['self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ["Hostname/IP does not match certificate's altnames", 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['WRONGPASS invalid username-password pair', undefined],
  ])('is what the error says where that is clear: %s', (message, code) => {
    expect(whyFailed(errorOf(message, code), WITH)).toBe(message);
  });

  it('is the code, or the name, of an error without a message', () => {
    expect(whyFailed(errorOf('', 'ECONNREFUSED'), WITHOUT)).toBe('ECONNREFUSED');
    expect(whyFailed(errorOf(''), WITHOUT)).toBe('Error');
  });
});
