import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'

const require = createRequire(import.meta.url)
let library: typeof Yaml | undefined

/** Loaded when the first text needs it, at once: whoever reads a value or a blueprint cannot wait for an import. */
export const yaml = () => (library ??= require('yaml') as typeof Yaml)
