import { QuoinError } from '../../client/client.ts'
import { Failed } from '../app/shell/states.tsx'
import { t } from '../texts/texts.ts'

/** Shown instead of a screen that the account may not open. */
export function Forbidden() {
  return <Failed error={new QuoinError(403, { message: `${t('app.forbidden.title')}. ${t('app.forbidden.text')}` })} />
}
