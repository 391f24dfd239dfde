import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A measured value, what it was compared with, and whether it meets the target. */
export interface Figure {
  what: string
  measured: string
  target: string
  met: boolean
  detail: string
}

export function atLeast(what: string, value: number, target: number, detail: string): Figure {
  return formatted({ what, measured: value.toFixed(2), target: `≥ ${target.toFixed(2)}`, met: value >= target, detail })
}

export function atMost(what: string, value: number, target: number, unit: string, detail: string): Figure {
  const digits = unit === ' s' || unit === ' ×' ? 2 : 0
  return formatted({
    what,
    measured: value.toFixed(digits) + unit,
    target: `≤ ${target}${unit}`,
    met: value <= target,
    detail,
  })
}

/** Prints each result at once, because a run may take long. */
function formatted(figure: Figure): Figure {
  process.stderr.write(`  ${figure.what}: ${figure.measured}, target ${figure.target} (${figure.detail})\n`)
  return figure
}

const path = join(import.meta.dirname, 'results.md')

/** Replaces the section of this scenario and keeps the others. */
export function writeResults(name: string, figures: Figure[], machine: string): void {
  const rows = figures.map(
    ({ what, measured, target, met, detail }) =>
      `| ${what} | ${measured} | ${target} | ${met ? 'yes' : '**no**'} | ${detail} |`,
  )
  const section = [
    `## ${name}`,
    '',
    `${new Date().toISOString().slice(0, 10)}, ${machine}`,
    '',
    '| Figure | Measured | Target | Met | How |',
    '| - | - | - | - | - |',
    ...rows,
    '',
  ].join('\n')
  const before = existsSync(path) ? readFileSync(path, 'utf8') : heading
  const others = before.split(/^(?=## )/m).filter(part => !part.startsWith(`## ${name}\n`))
  writeFileSync(path, [...others.map(part => part.trimEnd()), section].join('\n\n'))
}

const heading = `# Results

Ratios, taken side by side in one run on one machine by \`npm run bench -- <name>\`. The yardstick is a bare Fastify that answers the same bytes (status,
headers and body) and does nothing else. Load comes from a second process on the same machine, over loopback.
`
