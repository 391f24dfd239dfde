/** The panel itself. A sign-in begins to load it while the server looks at the password. */
export const loadApp = () => import('./app.tsx')
