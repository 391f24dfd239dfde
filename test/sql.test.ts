/** The sources use only SQL that `docs/sql.md` lists, so that the list for other engines is complete. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const files = globSync(['src/platform/store/**/*.ts', 'src/**/queries.ts'], { cwd: root }).filter(
  name => !name.endsWith('.test.ts'),
)
const withoutComments = (text: string) => text.replaceAll(/\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gs, '')
const sources = files.map(name => withoutComments(readFileSync(join(root, name), 'utf8')))
const page = readFileSync(join(root, 'docs/sql.md'), 'utf8')
const listed = new Set([...page.matchAll(/`([^`]+)`/g)].map(([, code]) => code!))

/** The texts of a source: string and template literals, with a space for each value in them. */
function literalsOf(source: string): string[] {
  const found: string[] = []
  let at = 0

  function readTemplate(): string {
    let text = ''
    for (at++; at < source.length && source[at] !== '`'; at++) {
      if (source.startsWith('${', at)) {
        at += 2
        readCode(true)
        text += ' '
      } else text += source[at]
    }
    at++
    return text
  }

  function readCode(isValue: boolean): void {
    for (let depth = 0; at < source.length;) {
      const sign = source[at]!
      if (sign === '`') found.push(readTemplate())
      else if (sign === "'" || sign === '"') {
        const [text] = /^(['"])(?:\\.|(?!\1).)*\1/s.exec(source.slice(at)) ?? [sign]
        found.push(text.slice(1, -1))
        at += text.length
      } else {
        if (sign === '{') depth++
        if (sign === '}' && isValue && depth-- === 0) return
        at++
      }
    }
  }

  readCode(false)
  return found
}

const literals = sources.flatMap(literalsOf)

/** Words before a bracket that are no functions: of the language, and names of tables and aliases. */
const noFunctions = new Set(
  `addresses and any as check chosen counts else entries exists from given in into join key materialized not opened or over pieces references
   select then unique using values when where with written`.split(/\s+/),
)

/** Functions of SQLite, in statements or branches that PostgreSQL does not see. */
const ofSqlite = new Set(
  `audit_events_append_only char foreign_key_list fts5 fts5vocab group_concat hex instr integrity_check json_each json_quote
   pragma_table_info raise table_info`.split(/\s+/),
)

/** A name before a bracket, unless it is that of a table: `insert into pages (…)`. */
const called =
  /(?<!\b(?:into|table|references|on|exists|index|trigger|join|with|update|recursive) +)\b([a-z_][a-z0-9_]*)\s*\(/gi

test('every function of PostgreSQL is on the page, and none that is not used', () => {
  const names = literals.flatMap(text => [...text.matchAll(called)].map(([, name]) => name!.toLowerCase()))
  const used = new Set(
    names.filter(name => !noFunctions.has(name) && !ofSqlite.has(name) && !/^(?:quoin_|gin$)/.test(name)),
  )
  expect(used.size).toBeGreaterThan(40)
  const known = [...listed].filter(code => code.endsWith('()') && !code.startsWith('quoin_'))
  expect(new Set(known)).toEqual(new Set([...used].map(name => `${name}()`)))
})

test('every type that values are cast to is on the page', () => {
  const used = literals.flatMap(text => [...text.matchAll(/::\s*[a-z_0-9]+(?:\[\])?/g)].map(([cast]) => cast))
  expect(new Set([...listed].filter(code => code.startsWith('::')))).toEqual(new Set(used))
})

/** In SQL, or as methods of Kysely. Those that are not used are here so that a first use is noticed. */
const features: readonly [code: string, pattern: RegExp][] = [
  ['on conflict', /\bon conflict\b|\.onConflict\(/],
  ['returning', /\breturning\b|\.returning(?:All)?\(/],
  ['with recursive', /\bwith recursive\b|\.withRecursive\(/],
  ['with … as (delete …)', /\bas \((?:delete|insert|update)\b/],
  ['for update', /\bfor update\b|\.forUpdate\(/],
  ['for share', /\bfor share\b|\.forShare\(/],
  ['for key share', /\bfor key share\b|\.forKeyShare\(/],
  ['for no key update', /\bfor no key update\b|\.forNoKeyUpdate\(/],
  ['skip locked', /\bskip locked\b|\.skipLocked\(/],
  ['nowait', /\bnowait\b|\.noWait\(/],
  ['lateral', /\blateral\b|Lateral\(/],
  ['with ordinality', /\bwith ordinality\b/],
  ['over (', /\bover \(|\.over\(/],
  ['distinct on', /\bdistinct on\b|\.distinctOn\(/],
  ['filter (where', /\bfilter \(where\b|\.filterWhere\(/],
  ['is distinct from', /\bis (?:not )?distinct from\b/],
  ['materialized', /\bmaterialized\b/i],
  ['merge', /\bmerge into\b|\.mergeInto\(/],
  ['grouping sets', /\b(?:grouping sets|rollup|cube) \(/],
  ['tablesample', /\btablesample\b/],
  ['ilike', /\bilike\b/],
  ['collate "C"', /\bcollate "C"/],
  ['another collation', /\bcollate (?!"C"|nocase|binary)["a-z]/],
  ['set local', /\bset local\b/],
  ['lock table', /\block table\b/],
  ['listen', /\b(?:listen|notify) [a-z_]+|pg_notify/],
  ['cursor', /\bdeclare \w+ cursor\b/],
  ['copy', /\bcopy \w+ (?:from|to)\b/],
  ['truncate', /\btruncate (?:table )?["a-z]/],
  ['repeatable read', /'repeatable read'/],
  ['serializable', /'serializable'/],
  ['generated always as identity', /\bgenerated always as identity\b/],
  ['bigserial', /\bbigserial\b/],
  ['using gin', /\busing gin\b/],
  ['another index type', /\busing (?:gist|brin|hash|spgist)\b/],
  ['create trigger', /\bcreate (?:constraint )?trigger\b/],
  ['plpgsql', /\bplpgsql\b/],
  ['language sql', /\blanguage sql\b/],
  ['on delete cascade', /\bon delete cascade\b/],
  ['on delete set null', /\bon delete set null\b/],
  ['deferrable', /\bdeferrable\b/],
  ['fillfactor', /\bfillfactor\b/],
  ['disable trigger', /\bdisable trigger\b/],
  ['partition by', /\bpartition by (?:range|list|hash)\b/],
  ['create extension', /\bcreate extension\b/],
  ['create view', /\bcreate (?:temp )?view\b/],
  ['create type', /\bcreate (?:type|domain)\b/],
  ['concurrently', /\bconcurrently\b/],
  ['exclude using', /\bexclude using\b/],
  ['tsvector', /\btsvector\b/],
  ['->>', /->>/],
  ['@@', /@@/],
  ['~', /(?<=[\w) ]) ~\*? /],
  ['@>', /@>|<@/],
  ['#>>', /#>>?/],
]

test.each(features)('%s', (code, pattern) => {
  const isUsed = sources.some(text => pattern.test(text))
  expect([code, isUsed]).toEqual([code, listed.has(code)])
})
