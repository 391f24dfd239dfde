import { z } from 'zod'
import { decoration } from './decoration.ts'
import { text } from './settings.ts'

export const info = decoration(() => ({
  icon: z.union([z.string(), z.boolean()]).optional(),
  text: text().optional(),
  theme: z.string().optional(),
}))
