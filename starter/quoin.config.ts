import { defineConfig } from 'quoin'

/** Every setting has a default. The guide lists them: docs/guide/configuration.md */
export default defineConfig({})
