import { type AddressInfo, createServer } from 'node:net'

/** A free port, for programs that need the number before they listen: the preferred one if it is free, otherwise any. */
export function freePort(preferred = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', error => (preferred === 0 ? reject(error) : resolve(freePort())))
    probe.listen(preferred, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}
