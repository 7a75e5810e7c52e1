import { defineConfig } from 'vitest/config';

// Vite's own compiler, which reads from tsconfig.json that there are decorators with metadata.
export default defineConfig({
  test: { globals: true, environment: 'node', include: ['**/*.spec.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
});
