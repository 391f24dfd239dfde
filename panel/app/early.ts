declare global {
  interface Window {
    /** Requests that `early.js` has already sent, by URL. */
    quoinEarly?: Map<string, Promise<Response>>
  }
}

const name = 'quoin.known'

/**
 * The language of the user who was last signed in with this browser. If there is one, the panel is loaded before the
 * session is known.
 */
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
    // Without local storage the panel loads only after the session is known.
  }
}

/** The response to a request that `early.js` has sent. It is used once; the next request goes to the server. */
export function takeEarly(address: string, { method = 'GET' }: RequestInit): Promise<Response> | undefined {
  const answer = method === 'GET' ? window.quoinEarly?.get(address) : undefined
  window.quoinEarly?.delete(address)
  return answer
}
