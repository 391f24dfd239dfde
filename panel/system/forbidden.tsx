import { QuoinError } from '../../client/client.ts'
import { Failed } from '../app/shell/states.tsx'
import { t } from '../texts/texts.ts'

/** Shown in place of a screen without permission. */
export function Forbidden() {
  return <Failed error={new QuoinError(403, { message: `${t('app.forbidden.title')}. ${t('app.forbidden.text')}` })} />
}
