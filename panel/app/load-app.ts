/** The panel itself. The sign-in form starts to load it while the server checks the password. */
export const loadApp = () => import('./app.tsx')

/** Placeholder until the panel is loaded. */
export const loadShell = () => import('./shell/early-shell.tsx')
