import { lazy, Suspense } from 'react'
import type { Icon } from '../ui/icon.ts'

/** All icons with a name are one file, which the menu does not need before it is shown. */
const NamedIcon = lazy(() => import('./named-icon.tsx'))

export const iconNamed =
  (name: string | undefined): Icon =>
  props => (
    <Suspense fallback={<svg aria-hidden="true" className="lucide" />}>
      <NamedIcon {...props} icon={name} />
    </Suspense>
  )
