// Runs before anything is painted, so that a page in the dark never flashes white. The choice is kept by app/theme.ts.
try {
  const theme = localStorage.getItem('quoin.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {}
