import { CSPProvider } from '@base-ui/react/csp-provider'
import { DirectionProvider } from '@base-ui/react/direction-provider'
import type { ReactNode } from 'react'
import { TipLayer } from './tip-layer.tsx'
import { uiTexts, UiTextsContext } from './texts.ts'
import type { UiTexts } from './texts.ts'

interface Props {
  children: ReactNode
  /** The direction of writing; the root element must carry it too. */
  direction?: 'ltr' | 'rtl' | undefined
  texts?: Partial<UiTexts> | undefined
}

/** What the components need around them, once. No inline style elements: the content policy forbids them. */
export function UiProvider({ children, direction = 'ltr', texts }: Props) {
  return (
    <CSPProvider disableStyleElements>
      <DirectionProvider direction={direction}>
        <UiTextsContext value={texts ? { ...uiTexts, ...texts } : uiTexts}>
          {children}
          <TipLayer />
        </UiTextsContext>
      </DirectionProvider>
    </CSPProvider>
  )
}
