/** The examples of docs/guide/fields.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface FieldSample {
  type: string
  /** The name of the field in its example. */
  name: string
  /** The example for a blueprint. */
  yaml: string
  /** Undefined for a type without a value. */
  value: unknown
}

const chapter = join(import.meta.dirname, '../../docs/guide/fields.md')

export function fieldSamples(): FieldSample[] {
  const [, ...sections] = readFileSync(chapter, 'utf8').split(/^### /m)
  return sections.flatMap(section => {
    const [, yaml] = /^```yaml\n([^]*?)^```$/m.exec(section) ?? []
    const [, json] = /^```json\n([^]*?)^```$/m.exec(section) ?? []
    if (yaml === undefined) return []
    const [type = ''] = section.split('\n', 1)
    const [name = ''] = yaml.split(':', 1)
    return [{ type, name, yaml, value: json === undefined ? undefined : (JSON.parse(json) as unknown) }]
  })
}

/** A blueprint with all of them. */
export const sampleBlueprint = (samples: readonly FieldSample[]): string =>
  `title: Field types\nfields:\n${samples.map(({ yaml }) => yaml.replaceAll(/^(?=.)/gm, '  ')).join('')}`

/** Their values, by the name of the field. */
export const sampleContent = (samples: readonly FieldSample[]): Record<string, unknown> =>
  Object.fromEntries(samples.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])))
