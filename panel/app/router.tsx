import { createRouter } from '@tanstack/react-router'
import { EditorSkeleton } from '../editor/editor-skeleton.tsx'
import { base } from './base.ts'
import { routes } from './routes.tsx'

export const router = createRouter({
  routeTree: routes,
  basepath: `${base}/panel`,
  defaultPreload: 'intent',
  // Render the shell at once, without waiting for the first screen. Later, the previous screen stays until the next one
  // is ready.
  defaultPendingMs: 0,
  defaultPendingMinMs: 0,
  defaultPendingComponent: EditorSkeleton,
  scrollRestoration: true,
  pathParamsAllowedCharacters: ['+', '@'],
})

const unsubscribe = router.subscribe('onResolved', () => {
  unsubscribe()
  router.update({ ...router.options, defaultPendingMs: 1000 })
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
