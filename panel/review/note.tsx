import type { PageModel } from '../pages/page.ts'
import { t } from '../texts/texts.ts'

export type Review = NonNullable<PageModel['review']>

export const authorOf = ({ user }: Review): string => user?.username || t('editor.lock.someone')

/** A note as it was typed. */
export function Note({ text }: { text: string }) {
  return text === '' ? null : (
    <p dir="auto" className="whitespace-pre-wrap">
      {text}
    </p>
  )
}
