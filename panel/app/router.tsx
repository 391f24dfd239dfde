import { createRouter } from '@tanstack/react-router'
import { EditorSkeleton } from '../editor/editor-skeleton.tsx'
import { base } from './base.ts'
import { routes } from './routes.tsx'

export const router = createRouter({
  routeTree: routes,
  basepath: `${base}/panel`,
  defaultPreload: 'intent',
  // The frame is shown at once, and does not wait for what is in it. Later the screen before stays until the next one is there.
  defaultPendingMs: 0,
  defaultPendingMinMs: 0,
  defaultPendingComponent: EditorSkeleton,
  scrollRestoration: true,
  pathParamsAllowedCharacters: ['+', '@'],
})

const ended = router.subscribe('onResolved', () => {
  ended()
  router.update({ ...router.options, defaultPendingMs: 1000 } as never)
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
