import { z } from 'zod'
import { viewOf } from '../../http/view.ts'
import { type Translation, completeTexts } from '../../platform/translations/translations.ts'

export const translationView = viewOf<Translation>('Translation')(
  field => ({
    author: field.value(z.string(), () => 'Quoin'),
    data: field.value(z.record(z.string(), z.string()), completeTexts),
    direction: field.value(z.enum(['ltr', 'rtl']), translation => translation.direction),
    id: field.value(z.string(), translation => translation.id),
    name: field.value(z.string(), translation => translation.name),
  }),
  { compact: ['direction', 'id', 'name'] },
  ['author', 'data', 'direction', 'id', 'name'],
)
