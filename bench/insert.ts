/**
 * The baseline of creation: inserts the rows of one new page repeatedly, each time in a transaction that is synced to
 * disk.
 */
import { randomBytes } from 'node:crypto'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** Tables with their rows. `$` in a value stands for the part that differs per page, `$uuid` for its id. */
type Rows = { table: string; row: Record<string, SQLInputValue> }[]

const [path = '', rows = '[]', seconds = '1'] = process.argv.slice(2)
const db = new DatabaseSync(path)
db.function('quoin_now', () => BigInt(Date.now()))
db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
const inserts = (JSON.parse(rows) as Rows).map(({ table, row }) => {
  const names = Object.keys(row)
  const statement = db.prepare(
    `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) returning rowid`,
  )
  return { statement, table, values: Object.values(row) }
})
const end = performance.now() + Number(seconds) * 1000
const start = performance.now()
let count = 0
while (performance.now() < end) {
  const unique = `${process.pid}x${count++}`
  const uuid = randomBytes(8).toString('hex')
  db.exec('begin immediate')
  let id: SQLInputValue = null
  for (const { statement, table, values } of inserts) {
    const own = values.map(value =>
      value === '$rowid'
        ? id
        : typeof value === 'string'
          ? value.replaceAll('$uuid', uuid).replaceAll('$', unique)
          : value,
    )
    const [row] = statement.all(...own)
    if (table === 'search_rows') id = row!['id'] ?? row!['rowid'] ?? null
  }
  db.exec('commit')
}
console.log(JSON.stringify({ perSecond: (count * 1000) / (performance.now() - start) }))
db.close()
