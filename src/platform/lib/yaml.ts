import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'

const require = createRequire(import.meta.url)
let library: typeof Yaml | undefined

/** Loaded on first use, synchronously: values and blueprints are parsed in functions that cannot await an import. */
export const yaml = () => (library ??= require('yaml') as typeof Yaml)
