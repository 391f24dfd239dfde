import { decoration } from './decoration.ts'

export const gap = decoration(() => ({}))
