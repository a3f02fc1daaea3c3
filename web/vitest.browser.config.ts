import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests in Debian's Chromium, against a real `netloom ui`. */
export default defineConfig({
  // An ordinary user may not write here.
  cacheDir: join(tmpdir(), `netloom-vitest-${process.getuid?.() ?? 0}`),
  test: {
    include: ['tests/**/*.spec.ts'],
    environment: 'node',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
