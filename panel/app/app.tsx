import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { hasToasts, onFirstToast, toast } from '../ui/toast.ts'
import { errorText } from './errors.ts'
import { setErrorReporter, queryClient } from './query.ts'
import { router } from './router.tsx'

setErrorReporter(error => toast({ tone: 'danger', title: errorText(error) }))

const Toaster = lazy(async () => ({ default: (await import('../ui/toaster.tsx')).Toaster }))

/** The panel of a signed-in user. */
export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Suspense>{useSyncExternalStore(onFirstToast, hasToasts) && <Toaster />}</Suspense>
    </QueryClientProvider>
  )
}
