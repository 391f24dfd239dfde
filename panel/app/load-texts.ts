import { addTexts } from '../texts/texts.ts'

let texts: Promise<void> | undefined

/** The English texts of all screens: the frame around them does without. */
export const loadTexts = () => (texts ??= import('../texts/en.ts').then(({ en }) => addTexts(en)))
