import { decoration } from './decoration.ts'

export const line = decoration(() => ({}))
