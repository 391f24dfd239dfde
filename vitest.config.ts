import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { passingFolder } from './tools/memory.ts'

const all = '{src,client,test,tools}/**/*.test.ts'

/** Without a store, or about what happens before one is asked: they run once, with the first engine. */
const ofNoEngine = [
  '{client,tools}/**/*.test.ts',
  'src/{blueprints,lib,permissions}/**/*.test.ts',
  'src/backup/tar.test.ts',
  'src/cli/{check,types}.test.ts',
  'src/config.test.ts',
  'src/content/{collection,content,panel-image}.test.ts',
  'src/factors/{,passkeys/}{policy,webauthn}.test.ts',
  'src/files/{upload-quota,markup,names}.test.ts',
  'src/http/{failure,guard,query,serialise,validate,view}.test.ts',
  'src/import/{php,text}.test.ts',
  'src/media/thumbs.test.ts',
  'src/search/words.test.ts',
  'src/translations/translations.test.ts',
  'src/typings/typings.test.ts',
  'test/{layers,raw,signals}.test.ts',
]

/** Every other test runs on both engines; `npx vitest --project sqlite src/auth` runs some of them on one. */
const onEngine = (engine: 'sqlite' | 'postgres') => ({
  test: {
    name: engine,
    include: [all],
    env: {
      STORE: engine,
      TMPDIR: passingFolder(),
      NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
    },
    setupFiles: 'test/cleanup.ts',
    pool: 'threads' as const,
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    ...(engine === 'postgres' && { globalSetup: 'test/setup.ts', exclude: ofNoEngine }),
  },
})

/** What asks how long a person waits: they run last, with nothing beside them. */
const byTheClock = ['panel/editor/typing.test.ts']

/** The panel, built once and shown by one Chromium. */
const inBrowser = {
  test: {
    ...onEngine('sqlite').test,
    name: 'panel',
    include: ['panel/**/*.test.ts'],
    exclude: byTheClock,
    globalSetup: 'test/panel.ts',
    expect: { poll: { timeout: 10_000 } },
  },
}

const alone = {
  test: { ...inBrowser.test, name: 'clock', include: byTheClock, exclude: [], sequence: { groupOrder: 1 } },
}

export default defineConfig({
  test: { maxWorkers: 2, projects: [onEngine('sqlite'), onEngine('postgres'), inBrowser, alone] },
})
