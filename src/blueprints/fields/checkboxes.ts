import { z } from 'zod'
import { fieldType } from './field.ts'
import { isOffered } from './options.ts'
import { checkListRules } from './rules.ts'
import { readSelection, selectionSettings, writeSelection } from './selections.ts'

const rule = (field: Parameters<typeof isOffered>[0]) => ({
  separator: ',',
  isPossible: (value: string) => isOffered(field, value),
})

export const checkboxes = fieldType({
  settings: () =>
    z.strictObject({ ...selectionSettings(), batch: z.boolean().default(false), columns: z.int().min(1).default(1) }),
  storedAs: 'list',
  read: (stored, field) => readSelection(stored, rule(field)),
  write: (sent, field, before) => writeSelection(sent, rule(field), before),
  check: (value, field, isActive = true) => checkListRules(field, isActive, value),
})
