/** The CPU time of this thread so far, in ms, independent of other load on the machine. Only for synchronous work. */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
