declare global {
  interface Window {
    /** Requests that `public/early.js` has sent already, by their addresses. */
    quoinEarly?: Map<string, Promise<Response>>
  }
}

const name = 'quoin.known'

/** Whether somebody has been signed in here, so that the panel is more likely than the sign-in; in which language they read it. */
export function knownLanguage(): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

export function rememberSignedIn(language: string | undefined): void {
  try {
    if (language === undefined) localStorage.removeItem(name)
    else localStorage.setItem(name, language)
  } catch {
    // A browser that keeps nothing loads one thing after the other.
  }
}

/** The answer to a request that has been sent already. Only once: the next one is asked anew. */
export function takeEarly(address: string, { method = 'GET' }: RequestInit): Promise<Response> | undefined {
  const answer = method === 'GET' ? window.quoinEarly?.get(address) : undefined
  window.quoinEarly?.delete(address)
  return answer
}
