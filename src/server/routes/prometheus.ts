import type { DurationHistogram } from '../../platform/lib/histogram.ts'

/** The text format of Prometheus, version 0.0.4. */
export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8'

type Labels = Record<string, string>

/** A metric with all its values; those of one name must not be written apart. */
export interface Family {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  lines: string[]
}

export function family(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  values: readonly (readonly [labels: Labels, value: number])[],
): Family {
  return { name, type, help, lines: values.map(([labels, value]) => line(name, labels, value)) }
}

export function histogram(
  name: string,
  help: string,
  all: readonly (readonly [labels: Labels, histogram: DurationHistogram])[],
): Family {
  const lines = all.flatMap(([labels, durations]) => {
    const buckets = durations.cumulative()
    return [
      ...buckets.map(({ bound, count }) => line(`${name}_bucket`, { ...labels, le: numberText(bound) }, count)),
      line(`${name}_sum`, labels, durations.sum),
      line(`${name}_count`, labels, buckets.at(-1)!.count),
    ]
  })
  return { name, type: 'histogram', help, lines }
}

/** The same metrics of several workers: each value has the number of its worker as a label. */
export function ofWorkers(all: readonly { worker: number; families: readonly Family[] }[]): Family[] {
  const merged = new Map<string, Family>()
  for (const { worker, families } of all)
    for (const { lines, ...rest } of families) {
      const found = merged.get(rest.name) ?? { ...rest, lines: [] }
      found.lines.push(...lines.map(text => withWorker(text, worker)))
      merged.set(rest.name, found)
    }
  return [...merged.values()]
}

function withWorker(text: string, worker: number): string {
  const end = /[{ ]/.exec(text)!.index // of the name
  const labels = text[end] === '{' ? `,${text.slice(end + 1)}` : `}${text.slice(end)}`
  return `${text.slice(0, end)}{worker="${worker}"${labels}`
}

export function prometheusText(families: readonly Family[]): string {
  return families
    .filter(({ lines }) => lines.length > 0)
    .map(({ name, type, help, lines }) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`)
    .join('')
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escape(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${numberText(value)}`
}

const numberText = (value: number) => (value === Infinity ? '+Inf' : String(value))

const escape = (text: string) =>
  text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
