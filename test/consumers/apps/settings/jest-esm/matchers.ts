import { redlockMatchers, type RedlockMatchers } from 'nestjs-redlock/testing';

declare global {
  namespace jest {
    interface Matchers<R, T> extends RedlockMatchers<R> {}
  }
}

expect.extend(redlockMatchers);
