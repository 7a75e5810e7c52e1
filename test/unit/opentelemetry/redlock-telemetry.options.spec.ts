import { describe, expect, it } from '@jest/globals';
import { RedlockTelemetryModule, type RedlockTelemetryOptions } from '../../../lib/opentelemetry/index.js';

describe('RedlockTelemetryModule.forRoot', () => {
  it.each<[string, unknown, RegExp]>([
    ['an unknown option', { resources: 'none' }, /there is no option "resources"; there are resource, meterProvider/],
    ['an unknown naming', { resource: 'all' }, /resource must be 'template', 'value' or 'none'; got 'all'/],
    ['a meter provider that is none', { meterProvider: {} }, /meterProvider must be a MeterProvider; got {}/],
    ['a tracer provider that is none', { tracerProvider: {} }, /tracerProvider must be a TracerProvider; got {}/],
    ['no object', 'template', /options must be an object/],
  ])('refuses %s', (_, options, message) => {
    const forRoot = () => RedlockTelemetryModule.forRoot(options as RedlockTelemetryOptions);
    expect(forRoot).toThrow(TypeError);
    expect(forRoot).toThrow(message);
  });

  it('needs no options', () => {
    expect(RedlockTelemetryModule.forRoot().providers).toHaveLength(2);
  });
});
