import { textOf } from '../texts/texts.ts'
import { type UiTexts, uiTexts } from '../ui/texts.ts'

/** The words of the components in the language of the person: `ui.close`. */
export function translatedUiTexts(): UiTexts {
  const entries = Object.entries(uiTexts).map(([name, english]) => [name, textOf(`ui.${name}`) ?? english])
  return Object.fromEntries(entries) as UiTexts
}
