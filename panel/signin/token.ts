/** The token from the link. It is removed from the URL at once, so that it does not stay in the browser history. */
export const linkToken: string | undefined = takeToken()

function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined
  if (token !== undefined) history.replaceState(history.state, '', location.pathname + location.search)
  return token || undefined
}
