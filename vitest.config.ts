import { defineConfig } from 'vitest/config'

/** Every test runs on both engines; `npx vitest --project sqlite src/auth` runs some of them on one. */
const onEngine = (engine: 'sqlite' | 'postgres') => ({
  test: {
    name: engine,
    include: ['{src,client,test,tools}/**/*.test.ts'],
    env: { STORE: engine },
    setupFiles: 'test/cleanup.ts',
    pool: 'threads' as const,
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    ...(engine === 'postgres' && { globalSetup: 'test/setup.ts' }),
  },
})

export default defineConfig({ test: { maxWorkers: 2, projects: [onEngine('sqlite'), onEngine('postgres')] } })
