import { addTexts } from '../texts/texts.ts'

/** The sign-in form, with only the texts that it needs. */
export async function loadSignIn() {
  const texts = import('../texts/en/signin.ts')
  const { SignIn } = await import('../signin/signin.tsx')
  addTexts((await texts).signin)
  return { SignIn }
}
