import { type Kysely, sql } from 'kysely'

/**
 * One job queue for mail, webhooks and whatever else happens after a commit. Mails that wait or have failed become jobs.
 * Subscriptions to events, and webhooks.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const isPostgres = engine === 'postgres'
  const int = isPostgres ? 'bigint' : 'integer'
  const number = isPostgres ? 'bigint generated always as identity primary key' : 'integer primary key autoincrement'
  const strict = isPostgres ? '' : 'strict'
  // These rows are updated in place: room on the page keeps PostgreSQL from moving them.
  const roomy = isPostgres ? 'with (fillfactor = 70)' : 'strict'
  const run = (text: string) => sql.raw(text).execute(db)

  await run(`create table jobs (
    number ${number},
    id text not null unique,
    queue text not null,
    lane text,
    payload text not null,
    sealed ${int} not null,
    attempts ${int} not null default 0,
    due_at ${int} not null,
    created_at ${int} not null,
    finished_at ${int},
    problem text,
    result text
  ) ${roomy}`)
  await run('create index jobs_due on jobs (queue, due_at, number) where finished_at is null')
  await run('create index jobs_waiting on jobs (queue, lane, number) where finished_at is null')
  await run('create index jobs_lane on jobs (lane, number) where lane is not null')
  await run('create index jobs_created on jobs (created_at)')
  await run(`create table job_lanes (
    queue text not null,
    lane text not null,
    busy_until ${int} not null,
    primary key (queue, lane)
  ) ${roomy}`)

  // A failed mail was due at the end of time.
  await run(`insert into jobs (id, queue, payload, sealed, attempts, due_at, created_at, finished_at, problem)
    select id, 'mail', sealed, 1, attempts, due_at, created_at,
      case when due_at >= 8640000000000000 then created_at end, problem
    from mails order by created_at, id`)
  await run('drop table mails')

  await run(`create table subscriptions (
    id text primary key,
    queue text not null,
    is_active ${int} not null,
    events text not null,
    templates text not null,
    languages text not null,
    delay ${int} not null
  ) ${strict}`)
  await run(`create table webhooks (
    id text primary key references subscriptions (id) on delete cascade,
    source text not null,
    owner_id text,
    url text not null unique,
    secret text not null,
    old_secret text,
    old_secret_until ${int},
    off_reason text,
    off_at ${int},
    created_at ${int} not null,
    modified_at ${int} not null
  ) ${strict}`)
}
