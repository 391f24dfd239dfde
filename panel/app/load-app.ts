/** The panel itself. A sign-in begins to load it while the server looks at the password. */
export const loadApp = () => import('./app.tsx')

/** What is shown of it until it is loaded. */
export const loadShell = () => import('./shell/early-shell.tsx')
