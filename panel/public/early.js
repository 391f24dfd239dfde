// Runs before anything is painted, and before the code of the panel is there.
const metaOf = name => document.querySelector(`meta[name="quoin-${name}"]`).content

try {
  // A page in the dark never flashes white. The choice is kept by app/theme.ts.
  const theme = localStorage.getItem('quoin.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme

  // Somebody has been signed in here (app/early.ts): what they need first is asked for while the code is on its way.
  if (localStorage.getItem('quoin.known') !== null) {
    const base = metaOf('base')
    window.quoinEarly = new Map(
      [
        '/api/auth',
        `/api/system?${['frontEnd', 'isInstalled', 'languages', 'title'].map(name => `select%5B%5D=${name}`).join('&')}`,
      ].map(path => {
        const answer = fetch(base + path, { headers: { accept: 'application/json' } })
        answer.catch(() => {})
        return [location.origin + base + path, answer]
      }),
    )
    for (const name of metaOf('app').split(' ').filter(Boolean)) {
      const link = document.createElement('link')
      link.rel = 'modulepreload'
      link.href = `${base}/panel/${name}`
      document.head.append(link)
    }
  }
} catch {}
