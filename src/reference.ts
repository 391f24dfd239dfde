import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './platform/config.ts'
import { errors } from './platform/errors.ts'
import { type Api, list, takesOf } from './http/endpoint.ts'
import type { Document } from './http/reference/document.ts'
import { commonErrors } from './http/reference/error-keys.ts'
import { exampleOf } from './http/reference/examples.ts'
import { referencePages } from './http/reference/pages.ts'
import { openapi } from './openapi.ts'

const assets = ['reference.css', 'search.js']

/** The files of the reference by name: its pages, their style and the script for the search. */
export function referenceFiles(
  api: Api,
  config: Pick<Config, 'url' | 'base' | 'secure'>,
  line?: string,
): Map<string, string> {
  const endpoints = new Map(list(api))
  const document = openapi(api, config) as Document
  if (line !== undefined) document.info.version = line
  const takes = (name: string) => {
    const endpoint = endpoints.get(name)
    return endpoint && takesOf(endpoint)
  }
  const pages = referencePages({ document, exampleOf, takes, errors, commonErrors })
  for (const name of assets) pages.set(name, readFileSync(join(import.meta.dirname, 'http/reference', name), 'utf8'))
  return pages
}
