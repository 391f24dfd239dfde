import { decoration } from './decoration.ts'
import { flag } from './settings.ts'

export const headline = decoration(() => ({ numbered: flag(false) }))
