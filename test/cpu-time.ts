/** The CPU time of this thread so far, in ms: what else runs on the machine does not count. For work that does not wait. */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
