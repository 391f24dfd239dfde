import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { Compass, Lock, RotateCw, TriangleAlert } from 'lucide-react'
import { QuoinError } from '../../../client/client.ts'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { errorText } from '../errors.ts'
import { useTitleAndBreadcrumb, useWindowTitle } from '../title.ts'

/** No such resource, or no permission to see it. Which of the two is not disclosed. */
export function NotFound() {
  useTitleAndBreadcrumb(t('app.notFound.title'))
  return (
    <>
      <h1 className="sr-only">{t('app.notFound.title')}</h1>
      <EmptyState
        icon={Compass}
        text={`${t('app.notFound.title')}. ${t('app.notFound.text')}`}
        action={<Button render={<Link to="/" />}>{t('app.notFound.action')}</Button>}
      />
    </>
  )
}

/** A screen that failed to load or render. Throw an error in a route, or pass it here. */
export function ErrorScreen({ error, reset }: Trouble) {
  return error instanceof QuoinError && error.status === 404 ? <NotFound /> : <Broken error={error} reset={reset} />
}

interface Trouble {
  error: ErrorComponentProps['error']
  reset?: (() => void) | undefined
}

function Broken({ error, reset }: Trouble) {
  const router = useRouter()
  const forbidden = error instanceof QuoinError && error.status === 403
  const title = t(forbidden ? 'app.forbidden.title' : 'app.failed.title')
  useWindowTitle(title)
  return (
    <>
      <h1 className="sr-only">{title}</h1>
      <EmptyState
        icon={forbidden ? Lock : TriangleAlert}
        tone={forbidden ? 'neutral' : 'danger'}
        text={errorText(error)}
        action={
          forbidden ? undefined : (
            <Button
              icon={RotateCw}
              onClick={() => {
                reset?.()
                void router.invalidate()
              }}
            >
              {t('app.failed.action')}
            </Button>
          )
        }
      />
    </>
  )
}
