import { CSPProvider } from '@base-ui/react/csp-provider'
import { DirectionProvider } from '@base-ui/react/direction-provider'
import type { ReactNode } from 'react'
import { LocaleContext } from './locale.ts'
import { TipLayer } from './tip-layer.tsx'
import { uiTexts, UiTextsContext } from './texts.ts'
import type { UiTexts } from './texts.ts'

interface Props {
  children: ReactNode
  /** The direction of writing; the root element must have it, too. */
  direction?: 'ltr' | 'rtl' | undefined
  /** The language for formatting dates and times. */
  locale?: string | undefined
  texts?: Partial<UiTexts> | undefined
}

/**
 * Contexts that the components need, once per app. It adds no inline styles, which the Content Security Policy forbids.
 */
export function UiProvider({ children, direction = 'ltr', locale = 'en', texts }: Props) {
  return (
    <CSPProvider disableStyleElements>
      <DirectionProvider direction={direction}>
        <UiTextsContext value={texts ? { ...uiTexts, ...texts } : uiTexts}>
          <LocaleContext value={locale}>
            {children}
            <TipLayer />
          </LocaleContext>
        </UiTextsContext>
      </DirectionProvider>
    </CSPProvider>
  )
}
