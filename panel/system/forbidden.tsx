import { QuoinError } from '../../client/client.ts'
import { ErrorScreen } from '../app/shell/states.tsx'
import { t } from '../texts/texts.ts'

/** Shown instead of a screen that the account may not open. */
export function Forbidden() {
  return (
    <ErrorScreen error={new QuoinError(403, { message: `${t('app.forbidden.title')}. ${t('app.forbidden.text')}` })} />
  )
}
