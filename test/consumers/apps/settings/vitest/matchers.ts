import { redlockMatchers, type RedlockMatchers } from 'nestjs-redlock/testing';

declare module 'vitest' {
  // oxlint-disable-next-line typescript/no-explicit-any -- the parameter as Vitest declares it
  interface Matchers<T = any> extends RedlockMatchers<T> {}
}

expect.extend(redlockMatchers);
