import { type Kysely, sql } from 'kysely'

const sources = ['contents', 'changes'] as const

/**
 * Which texts refer to which pages and files: backlinks are found without reading all contents. Triggers keep the table up to
 * date, whatever writes contents. Both engines find the same references: the text between one `file://` and the next, as far
 * as it can be a uuid. JSON inside of texts may have its slashes escaped, and `/@/file/…` is the same reference.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  const kept = engine === 'sqlite' ? 'strict, without rowid' : ''
  await run(`create table links (
    target text not null, owner text not null, language text not null, source text not null,
    primary key (target, owner, language, source)
  ) ${kept}`)
  await run('create index links_owner on links (owner, language, source)')
  if (engine === 'postgres') await linkInPostgres(run)
  else await linkInSqlite(run)
}

type Run = (text: string) => Promise<unknown>

/** Cut before every reference; what follows the cut begins with the first letter of its kind. */
const cut = (data: string, mark: string) =>
  `replace(replace(${data}, 'file://', ${mark} || 'f'), 'page://', ${mark} || 'p')`
const plain = (data: string) =>
  String.raw`replace(replace(replace(${data}, '\\/', '/'), '/@/file/', 'file://'), '/@/page/', 'page://')`
const kind = `case substr(piece, 1, 1) when 'f' then 'file://' else 'page://' end`

type Row = 'old' | 'new'

/** Most texts refer to nothing, and are looked at no further. */
const has = {
  sqlite: (row: Row) => `(${['file:', 'page:', '/@'].map(part => `instr(${row}.data, '${part}') > 0`).join(' or ')})`,
  postgres: (row: Row) => `${row}.data ~ '(file|page):|/@'`,
}

async function linkInPostgres(run: Run): Promise<void> {
  await run(`create function quoin_targets(data text) returns setof text language sql immutable as $$
    select distinct ${kind} || id from (
      select piece, substring(piece from '^.([A-Za-z0-9_-]+)') as id
      from unnest(string_to_array(${cut(plain('data'), 'chr(1)')}, chr(1))) with ordinality as pieces (piece, at) where at > 1
    ) as ids where length(id) <= 64 $$`)
  await run(`create function quoin_link() returns trigger language plpgsql as $$ begin
    if tg_op <> 'INSERT' and ${has.postgres('old')} then
      delete from links where owner = old.owner and language = old.language and source = tg_table_name;
    end if;
    if tg_op <> 'DELETE' and ${has.postgres('new')} then
      insert into links (target, owner, language, source)
      select target, new.owner, new.language, tg_table_name from quoin_targets(new.data) as target on conflict do nothing;
    end if;
    return null;
  end $$`)
  for (const source of sources) {
    await run(`create trigger ${source}_linked after insert or delete or update of owner, language, data on ${source}
      for each row execute function quoin_link()`)
    await run(`insert into links (target, owner, language, source)
      select target, owner, language, '${source}' from ${source} cross join lateral quoin_targets(data) as target`)
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-'

async function linkInSqlite(run: Run): Promise<void> {
  const id = `substr(piece, 2, length(piece) - 1 - length(ltrim(substr(piece, 2), '${letters}')))`
  for (const source of sources) {
    /** A text as JSON becomes a list where it is cut. */
    const link = (row: string, from = '') => `insert into links (target, owner, language, source)
      select distinct ${kind} || ${id}, owner, language, '${source}' from (
        select value as piece, ${row}.owner, ${row}.language
        from ${from} json_each('[' || ${cut(`json_quote(${plain(`${row}.data`)})`, `'","'`)} || ']') where key > 0
      ) where length(${id}) between 1 and 64 on conflict do nothing`
    const unlink = `delete from links where owner = old.owner and language = old.language and source = '${source}'`
    await run(
      `create trigger ${source}_linked after insert on ${source} when ${has.sqlite('new')} begin ${link('new')}; end`,
    )
    await run(
      `create trigger ${source}_unlinked after delete on ${source} when ${has.sqlite('old')} begin ${unlink}; end`,
    )
    await run(`create trigger ${source}_relinked after update of owner, language, data on ${source}
      when ${has.sqlite('old')} or ${has.sqlite('new')} begin ${unlink}; ${link('new')}; end`)
    await run(link(source, `${source},`))
  }
}
