import { addTexts } from '../texts/texts.ts'

/** The panel itself. A sign-in begins to load it while the server looks at the password. */
export const loadApp = () => import('./app.tsx')

export async function loadSignIn() {
  const texts = import('../texts/en/signin.ts')
  const { SignIn } = await import('../signin/signin.tsx')
  addTexts((await texts).signin)
  return { SignIn }
}
