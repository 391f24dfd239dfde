import { type AddressInfo, createServer } from 'node:net'

/** A free port, for programs that need the number before they listen: the wanted one if it is free, otherwise any. */
export function freePort(wanted = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', error => (wanted === 0 ? reject(error) : resolve(freePort())))
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}
