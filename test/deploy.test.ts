/** The files of `deploy/` are checked by the programs that read them. Proxies are started with theirs in `proxies.test.ts`. */
import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { freePort } from '../tools/free-port.ts'
import { deployFolder, hasProgram, startProgram } from '../tools/server-program.ts'
import { folderOf } from './folders.ts'
import { createTestApp, engine } from './harness.ts'
import { parsePrometheus } from './prometheus.ts'
import { isSlow } from './slow.ts'

const textOf = (name: string) => readFileSync(join(deployFolder, name), 'utf8')

interface Dashboard {
  panels: { id: number; title: string; targets: { expr: string }[] }[]
}
interface Alerts {
  groups: { rules: { alert: string; expr: string }[] }[]
}

/** With the placeholders of the dashboard replaced. */
const expressions = {
  dashboard: (JSON.parse(textOf('dashboard.json')) as Dashboard).panels.flatMap(({ targets }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*')),
  ),
  alerts: (parse(textOf('quoin-alerts.yml')) as Alerts).groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
}

test('every metric of the alerts and the dashboard exists', async () => {
  const site = await createTestApp()
  const scrape = () => site.request({ url: '/metrics', headers: { host: '127.0.0.1:4080' } })
  await scrape() // the delay of the event loop is measured from the first one on
  await site.request({ url: '/nothing' })
  await new Promise(resolve => setTimeout(resolve, 100))
  const metrics = parsePrometheus((await scrape()).body)
  const names = new Set(
    [...metrics].flatMap(([name, { type }]) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map(part => `${name}_${part}`) : name,
    ),
  )
  const all = [...expressions.dashboard, ...expressions.alerts]
  const used = all.flatMap(expr => expr.match(/\b(?:quoin|process|nodejs)_\w+/g) ?? [])
  expect(used.length).toBeGreaterThan(20)
  expect([...new Set(used)].filter(name => !names.has(name))).toEqual([])
})

test('the panels of the dashboard have different ids', () => {
  const ids = (JSON.parse(textOf('dashboard.json')) as Dashboard).panels.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('every file is listed in the README of the folder', () => {
  const readme = textOf('README.md')
  const files = readdirSync(deployFolder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const names = files
    .map(({ parentPath, name }) => relative(deployFolder, join(parentPath, name)))
    .filter(name => name !== 'README.md')
  expect(names.filter(name => !readme.includes(`](${name})`))).toEqual([])
})

// ---- the programs that read them

/** Runs a checker, and fails with what it says. */
function check(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, ''])
  return stdout + stderr
}

test.runIf(isSlow && engine === 'sqlite')(
  'Prometheus reads its configuration, the alerts, and every expression of the dashboard',
  ({ skip }) => {
    skip(!hasProgram('promtool', '--version'), 'prometheus is not installed')
    const rules = expressions.dashboard.map((expr, index) => ({ record: `panel_${index}`, expr }))
    const folder = folderOf({
      'prometheus.yml': textOf('prometheus.yml').replace('/etc/prometheus/quoin-token', 'quoin-token'),
      'quoin-alerts.yml': textOf('quoin-alerts.yml'),
      'quoin-token': 'a-long-random-token',
      'dashboard.yml': stringify({ groups: [{ name: 'dashboard', rules }] }),
      'tests.yml': stringify(alertTests),
    })
    check('promtool', 'check', 'config', join(folder, 'prometheus.yml'))
    check('promtool', 'check', 'rules', join(folder, 'quoin-alerts.yml'), join(folder, 'dashboard.yml'))
    check('promtool', 'test', 'rules', join(folder, 'tests.yml'))
  },
)

/** An instance that is down and one whose database is: both are alerts, and nothing else is. */
const alertTests = {
  rule_files: ['quoin-alerts.yml'],
  evaluation_interval: '15s',
  tests: [
    {
      interval: '15s',
      input_series: [
        { series: 'up{job="quoin",instance="a"}', values: '0x20' },
        { series: 'up{job="quoin",instance="b"}', values: '1x20' },
        { series: 'quoin_store_up{job="quoin",instance="b"}', values: '0x20' },
        { series: 'quoin_http_requests_total{job="quoin",instance="b",status="200"}', values: '0+1500x20' },
        { series: 'quoin_http_requests_total{job="quoin",instance="b",status="500"}', values: '0+1x20' },
      ],
      alert_rule_test: ['QuoinDown', 'QuoinStoreDown', 'QuoinErrors'].map(alertname => ({
        eval_time: '5m',
        alertname,
        exp_alerts:
          {
            QuoinDown: [alertOf('a', 'a does not answer')],
            QuoinStoreDown: [alertOf('b', 'b cannot read its database')],
          }[alertname] ?? [],
      })),
    },
  ],
}

function alertOf(instance: string, summary: string) {
  return { exp_labels: { severity: 'critical', job: 'quoin', instance }, exp_annotations: { summary } }
}

test.runIf(isSlow && engine === 'sqlite')('systemd reads the units, and rates the services as safe', ({ skip }) => {
  skip(!hasProgram('systemd-analyze', '--version'), 'systemd is not installed')
  const units = ['quoin.service', 'quoin-backup.service', 'quoin-backup.timer']
  // The program must exist, and is not where the unit says on this machine.
  const folder = folderOf(
    Object.fromEntries(
      units.map(name => [name, textOf(name).replaceAll('/srv/site/node_modules/.bin/quoin', '/bin/true')]),
    ),
  )
  expect(check('systemd-analyze', 'verify', ...units.map(name => join(folder, name)))).toBe('')
  for (const name of units.filter(unit => unit.endsWith('.service')))
    check('systemd-analyze', 'security', '--offline=true', '--threshold=20', join(folder, name))
})

test.runIf(isSlow && engine === 'sqlite')('Caddy accepts its configuration', ({ skip }) => {
  skip(!hasProgram('caddy', 'version'), 'Caddy is not installed')
  check('caddy', 'validate', '--adapter', 'caddyfile', '--config', join(deployFolder, 'Caddyfile'))
  check('caddy', 'fmt', '--diff', join(deployFolder, 'Caddyfile'))
})

test.runIf(isSlow && engine === 'sqlite')('PgBouncer starts with its configuration', async ({ skip }) => {
  skip(!hasProgram('pgbouncer', '--version'), 'PgBouncer is not installed')
  const port = await freePort()
  const folder = folderOf({
    'pgbouncer.ini': textOf('pgbouncer.ini')
      .replace('listen_port = 6432', `listen_port = ${port}\nunix_socket_dir =`)
      .replace('/etc/pgbouncer/userlist.txt', 'userlist.txt'),
    'userlist.txt': '"quoin" "password"\n',
  })
  chmodSync(folder, 0o755)
  // It refuses to run as root.
  const asNobody = process.getuid?.() === 0 ? (['runuser', '-u', 'nobody', '--'] as const) : []
  const [command = '', ...args] = [...asNobody, 'pgbouncer', 'pgbouncer.ini']
  const program = await startProgram([command, ...args], { port, folder })
  await program.stop()
})

// The drill (`npm run drill`) runs three nodes with this file.
test.runIf(isSlow && engine === 'sqlite')(
  'Patroni and the HAProxy of its nodes accept their files',
  async ({ skip }) => {
    skip(!hasProgram('patroni', '--version') || !hasProgram('haproxy', '-v'), 'Patroni or HAProxy is not installed')
    const folder = folderOf({
      // It tries whether the ports are free on this machine.
      'patroni.yml': textOf('patroni/patroni.yml')
        .replace('listen: 10.0.0.21:8008', `listen: 127.0.0.1:${await freePort()}`)
        .replace('listen: 10.0.0.21:5432', `listen: 127.0.0.1:${await freePort()}`),
    })
    expect(check('patroni', '--validate-config', join(folder, 'patroni.yml'))).toBe('')
    check('haproxy', '-c', '-f', join(deployFolder, 'patroni/haproxy.cfg'))
  },
)

test.runIf(isSlow && engine === 'sqlite')('Docker Compose accepts its file', ({ skip }) => {
  skip(!hasProgram('docker-compose', '--version'), 'docker-compose is not installed')
  const folder = folderOf({ 'compose.yaml': textOf('compose.yaml'), '.env': 'POSTGRES_PASSWORD=secret\n' })
  check('docker-compose', '--project-directory', folder, '--file', join(folder, 'compose.yaml'), 'config', '--quiet')
})
