/**
 * npm and npx run a command in a shell, and an older Node runs it in a wrapper: a process that may end before the
 * server does.
 */
export const isWrapped = (environment: NodeJS.ProcessEnv) =>
  environment['npm_command'] !== undefined || environment['STOP_WITH_PARENT'] !== undefined

/** How often the parent process is checked, in ms. */
const parentIntervalMs = 500

/**
 * npm forwards SIGTERM to its shell, which ends without forwarding it; no signal says so. Without this check the server
 * would go on listening as an orphan.
 */
export function whenOrphaned(stop: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    stop()
  }, parentIntervalMs)
  timer.unref()
}
