import { z } from 'zod'
import { fieldType } from './field.ts'
import { checkListRules } from './rules.ts'
import { readTags, tagSettings, writeTags } from './selections.ts'

export const multiselect = fieldType({
  settings: () => z.strictObject(tagSettings('options', 'checklist')),
  storedAs: 'list',
  read: readTags,
  write: writeTags,
  check: (value, field, isActive = true) => checkListRules(field, isActive, value),
})
