// Part of the HTML: runs before the first paint and before the code of the panel is loaded.
const metaOf = name => document.querySelector(`meta[name="quoin-${name}"]`).content

let known = null
try {
  // Sets the theme early, so that a dark page never flashes white. Written by app/theme.ts.
  const theme = localStorage.getItem('quoin.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  known = localStorage.getItem('quoin.known')
} catch {}

// Sends the first requests, whose responses app/early.ts uses.
const base = metaOf('base')
window.quoinEarly = new Map(
  [
    '/api/auth',
    `/api/system?${['isInstalled', 'siteUrl', 'title'].map(name => `select%5B${name}%5D=&`).join('')}${['code', 'default', 'direction', 'name'].map(name => `select%5Blanguages%5D%5B%5D=${name}`).join('&')}`,
  ].map(path => {
    const answer = fetch(base + path, { headers: { accept: 'application/json' } })
    answer.catch(() => {})
    return [location.origin + base + path, answer]
  }),
)

// Preloads the shell if a user was signed in with this browser (app/early.ts), otherwise the sign-in form.
for (const name of metaOf(known === null ? 'signin' : 'app')
  .split(' ')
  .filter(Boolean)) {
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.href = `${base}/panel/${name}`
  document.head.append(link)
}
