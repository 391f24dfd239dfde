import { testFrontEnd } from '../../test/front-end.ts'

await testFrontEnd('notes-astro', 'x-astro-cache')
