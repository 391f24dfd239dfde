/** Further mentions in a comment are text. */
const maxMentions = 10

/** The ids of accounts in a comment: `@[id]`. Each once. */
export function mentionsIn(text: string): string[] {
  const ids = [...text.matchAll(/@\[([\w-]{1,64})\]/g)].map(([, id]) => id!)
  return [...new Set(ids)].slice(0, maxMentions)
}
