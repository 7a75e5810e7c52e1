import { describe, expect, it } from '@jest/globals';
import { briefly } from '../../../lib/engine/errors.js';

const HERE = new URL('../../../', import.meta.url).pathname;

describe('briefly', () => {
  it('leaves the frames of the application, and of the rest none', () => {
    const stack = [
      'ResourceLockedError: "a" is locked',
      `    at errorOf (file://${HERE}lib/engine/denied.ts:3:9)`,
      `    at ${HERE}lib/engine/local-queue.ts:3:9`,
      '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
      '    at async OrdersService.pay (/app/src/orders.service.ts:7:5)',
      '    at /app/node_modules/@nestjs/core/router/router-proxy.js:9:23',
      '    at C:\\app\\node_modules\\rxjs\\index.js:1:2',
    ].join('\n');
    expect(briefly(stack)).toBe(
      'ResourceLockedError: "a" is locked\n    at async OrdersService.pay (/app/src/orders.service.ts:7:5)',
    );
  });

  it('leaves a message of several lines, and anything that is no text, as it is', () => {
    expect(briefly('Error: one\n  two in node_modules\nthree')).toBe('Error: one\n  two in node_modules\nthree');
    expect(briefly(undefined)).toBe('undefined');
  });
});
