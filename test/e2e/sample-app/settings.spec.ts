import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { readSettings } from '../../../sample-app/src/settings.js';

describe('the settings of the sample application', () => {
  it('have the defaults that .env.example shows', () => {
    const shown = parseEnv(readFileSync('sample-app/.env.example', 'utf8'));
    expect(readSettings({ ...shown })).toEqual(readSettings({}));
    expect(Object.keys(shown)).toEqual(expect.arrayContaining(['MAX_TTL', 'RESTART_QUARANTINE']));
  });

  it('keep new nodes out of the vote in production, and if the setting says so', () => {
    const quarantine = (env: Record<string, string>): boolean => readSettings(env).RESTART_QUARANTINE;
    expect([
      quarantine({}),
      quarantine({ NODE_ENV: 'production' }),
      quarantine({ RESTART_QUARANTINE: 'true' }),
      quarantine({ NODE_ENV: 'production', RESTART_QUARANTINE: 'false' }),
    ]).toEqual([false, true, true, false]);
  });

  it.each([{ RESTART_QUARANTINE: 'yes' }, { MAX_TTL: '5s' }, { METRICS_PORT: '70000' }, { LIVE_EVENTS: '1' }])(
    'refuse %j',
    (env) => {
      expect(() => readSettings(env)).toThrow(`${Object.keys(env)[0]} must be`);
    },
  );
});
