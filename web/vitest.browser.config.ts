import { defineConfig } from 'vitest/config';

/** Tests in Debian's Chromium, against a real `netloom ui`. */
export default defineConfig({
  test: {
    include: ['tests/**/*.spec.ts'],
    environment: 'node',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
