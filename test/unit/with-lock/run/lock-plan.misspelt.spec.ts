import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { toPlan } from '../../../../lib/with-lock/run/lock-plan.js';

describe('a key that reads a part which no request has', () => {
  let warnings: jest.SpiedFunction<Logger['warn']>;
  beforeEach(() => void (warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined)));
  afterEach(() => warnings.mockRestore());

  const resolve = (template: string, body: object): void => {
    const plan = toPlan(template, {}, '@WithLock on UsersController.register');
    for (let count = 0; count < 3; count += 1) expect(() => plan.key.resolve({ request: { body } })).toThrow(/missing/);
  };

  it('warns once, and names the method and the part', () => {
    resolve('user:<body.emial|trim>', { email: 'ann@example.com' });
    expect(warnings.mock.calls).toEqual([
      [expect.stringMatching(/^@WithLock on UsersController\.register: <body\.emial> was missing in every call/)],
    ]);
  });

  it('warns nobody if the part was there in an earlier request', () => {
    const plan = toPlan('user:<body.email>', {}, '@WithLock on UsersController.register');
    plan.key.resolve({ request: { body: { email: 'ann@example.com' } } });
    expect(() => plan.key.resolve({ request: { body: {} } })).toThrow(/missing/);
    expect(warnings).not.toHaveBeenCalled();
  });
});
