import { join, relative } from 'node:path'
import { openBlueprints } from '../blueprints/open.ts'
import { siteConfig } from './site.ts'
import { print } from './terminal.ts'

/** Every mistake in the blueprints, one a line, in the form that editors and terminals make links of. */
export async function check(folder: string, { json = false }: { json?: boolean }): Promise<void> {
  const { site } = await siteConfig(folder)
  const { problems } = openBlueprints(site)
  const lines = problems.map(
    ({ file, line, column, message }) => `${relative('', join(site, file))}:${line}:${column} ${message}`,
  )
  const text = lines.length === 0 ? 'The blueprints are in order.' : lines.join('\n')
  print(json, { status: lines.length === 0 ? 'ok' : 'error', problems }, text)
  if (lines.length > 0) process.exitCode = 1
}
