import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A request and its answer, recorded by `test/examples.test.ts`; ids, times and tokens are replaced. */
export interface Example {
  request: { method: string; url: string; body?: unknown; file?: string }
  answer: { status: number; body: unknown }
}

let recorded: Record<string, Example> | undefined

/** Read on the first request for the reference: nothing else needs it. */
export function exampleOf(name: string): Example | undefined {
  recorded ??= JSON.parse(readFileSync(join(import.meta.dirname, 'examples.json'), 'utf8')) as Record<string, Example>
  return recorded[name]
}
