import { addTexts } from '../texts/texts.ts'

/** The panel itself. A sign-in begins to load it while the server looks at the password. */
export const loadApp = () => import('./app.tsx')

export async function loadSignIn() {
  const [screen, { signin }] = await Promise.all([import('../signin/signin.tsx'), import('../texts/en/signin.ts')])
  addTexts(signin)
  return screen
}

let texts: Promise<void> | undefined

/** The English texts of all screens: the frame around them does without. */
export const loadTexts = () => (texts ??= import('../texts/en.ts').then(({ en }) => addTexts(en)))
