import { textOf } from '../texts/texts.ts'
import { type UiTexts, uiTexts } from '../ui/texts.ts'

/** Texts of the components in `panel/ui`, in the language of the user. */
export function translatedUiTexts(): UiTexts {
  const entries = Object.entries(uiTexts).map(([name, english]) => [name, textOf(`ui.${name}`) ?? english])
  return Object.fromEntries(entries) as UiTexts
}
