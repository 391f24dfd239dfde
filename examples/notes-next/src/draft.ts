import { cookies, draftMode } from 'next/headers'

/** Where the draft mode keeps the pass of the preview. */
export const passCookie = 'quoin-preview'

/** The pass, if the draft mode is on. */
export async function currentPass(): Promise<string | undefined> {
  const { isEnabled } = await draftMode()
  return isEnabled ? (await cookies()).get(passCookie)?.value : undefined
}
