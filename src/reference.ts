import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errors } from './platform/errors.ts'
import { type Api, listEndpoints, parametersOf } from './http/endpoint.ts'
import type { OpenApiDocument } from './http/reference/document.ts'
import { commonErrors } from './http/reference/error-keys.ts'
import { exampleOf } from './http/reference/examples.ts'
import { referencePages } from './http/reference/pages.ts'

const assets = ['reference.css', 'search.js']

/** What writes the files of the reference, by name: its pages, their style and the script for the search. */
export function referenceFiles(api: Api, document: object): Map<string, () => string> {
  const endpoints = new Map(listEndpoints(api))
  const clientParameters = (name: string) => {
    const endpoint = endpoints.get(name)
    return endpoint && parametersOf(endpoint)
  }
  const files = referencePages({
    document: document as OpenApiDocument,
    exampleOf,
    clientParameters,
    errors,
    commonErrors,
  })
  for (const name of assets)
    files.set(name, () => readFileSync(join(import.meta.dirname, 'http/reference', name), 'utf8'))
  return files
}
