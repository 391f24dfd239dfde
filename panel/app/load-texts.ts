import { addTexts } from '../texts/texts.ts'

let texts: Promise<void> | undefined

/** The English texts of all screens. The shell does not need them. */
export const loadTexts = () => (texts ??= import('../texts/en.ts').then(({ en }) => addTexts(en)))
