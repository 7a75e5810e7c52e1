import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CHECKS } from '../../../../lib/cli/doctor/checks.js';

describe('the checks of doctor', () => {
  it('are all that have a file', () => {
    const files = readdirSync('lib/cli/doctor/checks');
    expect(files.length).toBeGreaterThan(10);
    expect(CHECKS).toHaveLength(files.length);
    expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(files.length);
  });
});
