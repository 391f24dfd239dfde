/** What a link brought along. It is taken out of the address at once, so that it stays in no history. */
export const linkToken: string | undefined = takeToken()

function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined
  if (token !== undefined) history.replaceState(history.state, '', location.pathname + location.search)
  return token || undefined
}
