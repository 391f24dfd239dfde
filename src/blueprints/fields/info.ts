import { z } from 'zod'
import { decoration } from './decoration.ts'
import { textSetting } from './settings.ts'

export const info = decoration(() => ({
  icon: z.union([z.string(), z.boolean()]).optional(),
  text: textSetting().optional(),
  theme: z.string().optional(),
}))
