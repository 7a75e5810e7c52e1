import { describe, expect, it } from '@jest/globals';
import { connectionNameOf } from '../../../../../lib/redis/connection/settings/connection-settings.js';

describe('connectionNameOf', () => {
  it.each([
    [undefined, 'nestjs-redlock'],
    ['orders', 'nestjs-redlock:orders'],
    ['@shop/orders', 'nestjs-redlock:@shop/orders'],
    ['orders (EU)\n', 'nestjs-redlock:orders-(EU)-'],
    ['größe', 'nestjs-redlock:gr-e'],
  ])('makes of %j a name that Redis takes: %s', (application, name) => {
    expect(connectionNameOf(application)).toBe(name);
    expect(name).toMatch(/^[!-~]+$/);
  });
});
