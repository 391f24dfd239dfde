import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { sameStatements } from './test/on-postgres.ts'
import { ProcessesFirst } from './test/sequencer.ts'
import { temporaryFolder } from './tools/memory.ts'

/** Extensions have tests over HTTP, `<name>.test.ts`, and in the browser, `panel.test.ts`. */
const all = ['{src,client,test,tools}/**/*.test.ts', 'examples/extensions/*/!(panel).test.ts']

/** Examples import the package by its name, as copies of them do. */
const resolve = { alias: [{ find: /^quoin$/, replacement: join(import.meta.dirname, 'src/index.ts') }] }

/** Tests that use no store, or only reach code before it: they run once, with the first engine. */
const engineIndependent = [
  '{client,tools}/**/*.test.ts',
  'src/{blueprints,platform/lib}/**/*.test.ts',
  'src/transfer/backup/tar.test.ts',
  'src/cli/{check,types}.test.ts',
  'src/platform/config.test.ts',
  'src/content/{collection,content,panel-image}.test.ts',
  'src/access/factors/{,passkeys/}{policy,webauthn}.test.ts',
  'src/groups/files/{upload-quota,markup,names}.test.ts',
  'src/http/{failure,query,serialise,validate,view}.test.ts',
  'src/server/guard.test.ts',
  'src/transfer/import/{php,text}.test.ts',
  'src/platform/media/{stalled,thumbs}.test.ts',
  'src/platform/search/words.test.ts',
  'src/platform/translations/translations.test.ts',
  'src/transfer/typings/typings.test.ts',
  'test/{drain,layers,on-postgres,raw,signals,sql,views}.test.ts',
]

/**
 * Tests that use SQL, which also run on PostgreSQL: those beside a `queries.ts`, of the store, of sign-in and accounts, and of several
 * processes. `test/on-postgres.ts` leaves out tests that repeat the statements of others. The slow run includes them.
 */
const reachingSql = [
  ...globSync('src/**/queries.ts').map(file => `${dirname(file)}/*.test.ts`),
  'src/{groups/auth,groups/users,forms/pickers,forms/sections,platform/store}/**/*.test.ts',
  'src/cli/check-data.test.ts',
  'src/extensions/{cms,rules}.test.ts',
  'src/content/changes/*.test.ts',
  'src/server/response-cache.test.ts',
  'test/{account-races,author,editing,failover,kills,locked-rows,outages,pooler,processes,races,statements,upgrades,webhooks}.test.ts',
]

/** Tests beside a `queries.ts` that are about HTTP or forms. */
const withoutSql = [
  'src/groups/auth/{api,crypto,fuzz,login,passkey}.test.ts',
  'src/transfer/backup/hostile.test.ts',
  'src/content/{blueprint,sent-back,strict,values}.test.ts',
  'src/groups/delivery/delivery.test.ts',
  'src/groups/files/content.test.ts',
  'src/transfer/export/text.test.ts',
  'src/transfer/import/header.test.ts',
  'src/platform/media/{contract,thumbnails}.test.ts',
  'src/access/session/origin.test.ts',
  'src/groups/users/passkeys/passkeys.test.ts',
]

/** Removed at the end of the run, with everything that tests have left there. */
const folder = mkdtempSync(join(temporaryFolder(), 'quoin-tests-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** In ms. Only a test that hangs may time out: on a busy machine everything takes longer. */
const hangTimeoutMs = 300_000

/** `npx vitest --project sqlite src/groups/auth` runs some of the tests on one engine; `--mode slow` runs every test on both. */
const onEngine = (engine: 'sqlite' | 'postgres', isSlow: boolean) => ({
  resolve,
  test: {
    name: engine,
    include: engine === 'sqlite' || isSlow ? all : reachingSql,
    env: {
      STORE: engine,
      QUOIN_TEST_SLOW: String(isSlow),
      TMPDIR: folder,
      NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
    },
    setupFiles: ['test/cleanup.ts', 'test/seed.ts'],
    pool: 'threads' as const,
    isolate: false,
    testTimeout: hangTimeoutMs,
    hookTimeout: hangTimeoutMs,
    expect: { poll: { timeout: 60_000 } },
    ...(engine === 'postgres' && {
      globalSetup: 'test/setup.ts',
      exclude: isSlow ? engineIndependent : [...engineIndependent, ...withoutSql, ...sameStatements],
    }),
  },
})

/** Measures how long a user waits after a key press: slow, and runs last with nothing beside it. */
const measuresWaiting = ['panel/editor/typing.test.ts']

/** The panel, built once and shown by one Chromium. */
const inBrowser = (isSlow: boolean) => ({
  resolve,
  test: {
    ...onEngine('sqlite', isSlow).test,
    name: 'panel',
    include: ['panel/**/*.test.ts', 'examples/extensions/*/panel.test.ts'],
    exclude: measuresWaiting,
    globalSetup: 'test/panel.ts',
  },
})

const clockProject = {
  resolve,
  test: { ...inBrowser(true).test, name: 'clock', include: measuresWaiting, exclude: [], sequence: { groupOrder: 1 } },
}

export default defineConfig(({ mode }) => {
  const isSlow = mode === 'slow'
  const daily = [onEngine('sqlite', isSlow), onEngine('postgres', isSlow), inBrowser(isSlow)]
  // Twice the cores: workers wait for time-outs, processes and the browser. With three, a tenth of two cores was idle.
  const sequence = { sequencer: ProcessesFirst }
  return { test: { maxWorkers: 4, sequence, projects: isSlow ? [...daily, clockProject] : daily } }
})
