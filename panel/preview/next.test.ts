import { testFrontEnd } from '../../test/front-end.ts'

await testFrontEnd('notes-next', 'x-nextjs-cache')
