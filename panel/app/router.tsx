import { createRouter } from '@tanstack/react-router'
import { base } from './base.ts'
import { routes } from './routes.tsx'

export const router = createRouter({
  routeTree: routes,
  basepath: `${base}/panel`,
  defaultPreload: 'intent',
  scrollRestoration: true,
  pathParamsAllowedCharacters: ['+', '@'],
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
