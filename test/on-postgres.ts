/**
 * What `npm test` runs on PostgreSQL: tests that together run every statement, also concurrently. The responses of
 * operations are the same on both engines, so the other tests run on SQLite only. The slow run repeats everything.
 */

/** Files that do not run on PostgreSQL: other files run the same statements. */
export const sameStatements = [
  'src/cli/initial-import/initial-import.test.ts',
  'src/content/{revision,versions}.test.ts',
  'src/content/changes/title.test.ts',
  'src/forms/pickers/{pickers,users}.test.ts',
  'src/forms/query/many.test.ts',
  'src/forms/sections/sections.test.ts',
  'src/groups/auth/{forced-setup,invite,reset,warnings}.test.ts',
  'src/groups/pages/{move,publish,read,slug,anonymous-leaks,table,versions}.test.ts',
  'src/groups/roles/roles.test.ts',
  'src/groups/site/{contract,site}.test.ts',
  'src/groups/system/system.test.ts',
  'src/groups/users/{escalation,other-accounts}.test.ts',
  'src/groups/users/{email,recovery-codes,sessions,totp}/*.test.ts',
  'src/platform/mail/mail.test.ts',
  'src/transfer/copy/media.test.ts',
  'test/{kills,webhooks}.test.ts',
]

/**
 * Files of which only the tests with these titles run on PostgreSQL: together they run all statements of their file. Add
 * the title of a new test about SQL. A pattern that matches no test fails its file, so that a renamed test does not
 * silently stop running on PostgreSQL.
 */
export const titles: Record<string, readonly RegExp[]> = {
  'src/access/audit/audit.test.ts': [
    /^O09/,
    /^O05: auth\.token\.revoked/,
    /^O05: auth\.epoch\.bumped/,
    /^O05: an event names/,
  ],
  'src/content/changes/changes.test.ts': [/concurrent/, /saved directly/, /taken over/, /stored beside/],
  'src/content/history/history.test.ts': [/outdated revision/, /except the last one/, /belongs to its language/],
  'src/extensions/cms.test.ts': [/same results/],
  'src/extensions/rules.test.ts': [
    /despite concurrent changes/,
    /only one is stored/,
    /run again/,
    /schedule runs/,
    /trash comes back/,
    /in the trash, and of/,
    /below a copy/,
    /stored with the status/,
    /with its parent/,
  ],
  'src/forms/references/backlinks.test.ts': [
    /as far as the caller may list/,
    /paginated/,
    /removed and deleted/,
    /own files/,
    /drafts count/,
    /pages have uses/,
    /shown with their targets/,
    /name their languages/,
  ],
  'src/forms/sections/choices.test.ts': [/query of tunes/, /limited to the choices/],
  'src/groups/auth/second-factor.test.ts': [/^I08/, /^I11/, /^I15/, /^I24/],
  'src/groups/auth/sessions.test.ts': [/^G01/, /^G17/, /^G27/, /^N16/],
  'src/groups/auth/throttle.test.ts': [/^H01: an address is throttled/],
  'src/groups/files/files.test.ts': [/view panel/, /account/, /leaves its blob/, /denies/, /template is changed/],
  'src/groups/files/parents.test.ts': [/deleting a subtree/, /ids of their parents/, /being deleted/],
  'src/groups/files/upload.test.ts': [/swept during/],
  'src/groups/pages/files.test.ts': [
    /with its files/,
    /has its own files/,
    /are swept/,
    /move with their page/,
    /name sections/,
  ],
  'src/groups/pages/preview.test.ts': [/passes for the site/, /tampered with, revoked/],
  'src/groups/pages/review/review.test.ts': [
    /keeps writing/,
    /hidden template/,
    /publishes at once/,
    /sends back with/,
    /has changed since it was read/,
    /survives its author/,
    /requests a review/,
    /leave nothing half/,
  ],
  'src/groups/pages/schedule/schedule.test.ts': [
    /set at its time/,
    /one schedule/,
    /two processes/,
    /deleted with its page/,
    /of the system/,
  ],
  'src/groups/pages/search/search.test.ts': [
    /results are ordered/,
    /"template"/,
    /":\*"/,
    /drop table/,
    /language of the request/,
    /not counted/,
    /a common word/,
  ],
  'src/groups/pages/slugs/slugs.test.ts': [
    /deleted with their language/,
    /home page/,
    /number of statements/,
    /new default/,
    /equal to the id/,
  ],
  'src/groups/pages/state.test.ts': [/learns nothing/, /few statements more/],
  'src/groups/pages/status.test.ts': [/numbered by their content/, /imported numbers/, /siblings are shifted/],
  'src/groups/pages/anonymous-cache.test.ts': [/PostgreSQL/, /any process/],
  'src/groups/pages/anonymous.test.ts': [/structure or blocks/, /does not find them/, /api\.public: undefined/],
  'src/groups/site/events/api.test.ts': [
    /callers see/,
    /filters: event/,
    /pages of the feed/,
    /has an index/,
    /limited number of rows/,
    /previews are shown/,
  ],
  'src/groups/site/events/stream.test.ts': [
    /as they happen/,
    /Last-Event-ID/,
    /another process/,
    /newer one/,
    /revoked token/,
  ],
  'src/groups/site/library/versions.test.ts': [
    /former bytes stay/,
    /replaced meanwhile/,
    /checked, repaired/,
    /go to the trash/,
  ],
  'src/groups/site/redirects/api.test.ts': [
    /old.u0000/,
    /automatic redirects/,
    /a manual redirect stays/,
    /domain of its own/,
    /added, listed/,
  ],
  'src/groups/site/releases/releases.test.ts': [
    /in one transaction/,
    /of its files/,
    /content of the site/,
    /named in lists/,
    /edit lock/,
    /one plan only/,
    /published once/,
    /rounds of the schedule/,
  ],
  'src/groups/site/trash/api.test.ts': [
    /content and descendants/,
    /uuid that was/,
    /a deleted account loses/,
    /made default/,
    /concurrent/,
    /expired/,
  ],
  'src/groups/system/extensions/jobs.test.ts': [
    /in two processes/,
    /were missed/,
    /still running/,
    /runs again/,
    /last hundred/,
    /keeps documents/,
  ],
  'src/groups/system/extensions/on.test.ts': [
    /templates and languages/,
    /in order/,
    /what fails/,
    /again and again/,
    /throws, hangs/,
    /kept for a week/,
    /changes names/,
    /many pages/,
  ],
  'src/groups/system/install.test.ts': [/^K15: of fifty concurrent/],
  'src/groups/system/purge/purge.test.ts': [/one purge/, /given up/, /start purges/, /by hand/],
  'src/groups/system/webhooks/webhooks.test.ts': [
    /rolled back/,
    /select what is sent/,
    /gathered/,
    /several processes/,
    /listed, changed/,
    /sending again/,
    /^410/,
    /off and on/,
    /stays off/,
    /last 100/,
  ],
  'src/groups/users/avatar/avatar.test.ts': [/concurrent uploads/, /added, replaced/],
  'src/groups/users/listing/list.test.ts': [
    /both engines/,
    /sorting in the store/,
    /a list is paginated/,
    /best match/,
    /not excludes/,
    /neither by counts/,
  ],
  'src/groups/users/password/password.test.ts': [/first one/, /^H16/],
  'src/groups/users/rights-over-roles.test.ts': [/invited again/],
  'src/groups/users/tokens/tokens.test.ts': [/lists and revokes/, /paginated/, /^N20/, /shown once/],
  'src/groups/users/users.test.ts': [
    /concurrent/,
    /^O12/,
    /refused request/,
    /created, read, listed/,
    /is invited/,
    /found by its id/,
    /last account/,
  ],
  'src/server/response-cache.test.ts': [/reads nothing but/, /next request/, /without a commit/, /until it ends/],
  'src/platform/documents/transactions.test.ts': [
    /in one transaction/,
    /the same error/,
    /concurrent/,
    /with the change of content/,
  ],
  'src/platform/mail/outbox.test.ts': [/decrypted/, /two processes/],
  'src/transfer/backup/backup.test.ts': [/disappear/],
  'src/transfer/copy/copy.test.ts': [/interrupted/, /a second copy/],
  'src/transfer/export/export.test.ts': [
    /several languages/,
    /consistent snapshot/,
    /outside the folder/,
    /cannot contain/,
    /imported unchanged/,
  ],
  'src/transfer/import/import.test.ts': [/importing again/, /references by id/, /sending back/],
  'test/account-races.test.ts': [/^L01/, /^L13/],
  'test/author.test.ts': [/trash/, /schedule/, /give others/],
  'test/extension-runs.test.ts': [/server is killed/],
  'test/outages.test.ts': [/^ready is 503/, /late replies/, /^M06/, /database restart/],
  'test/races.test.ts': [/^L04/, /^L08 of 7/, /^L09/, /^L12 an/, /^L16/, /^L18/, /^L20/, /^L21/, /^L22/],
}

/** Tests of races run on PostgreSQL, where transactions run concurrently; SQLite has one writer. Both run the random mix. */
const races = new Set(['test/account-races.test.ts', 'test/races.test.ts'])
const onBoth = /^L(04|21)/

/** Whether `npm test` runs the test on this engine. */
export function isDaily(engine: 'postgres' | 'sqlite', file: string, title: string): boolean {
  const isOnPostgres = titles[file]?.some(pattern => pattern.test(title)) ?? true
  return engine === 'postgres' ? isOnPostgres : !races.has(file) || !isOnPostgres || onBoth.test(title)
}

/** The patterns of a test file that match none of its tests. */
export function unmatched(file: string, tests: readonly string[]): string[] {
  return (titles[file] ?? []).filter(pattern => !tests.some(title => pattern.test(title))).map(String)
}
