import { BlockList, isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Parses networks such as `10.0.0.0/8` or `::1`; `wrong` lists the entries that are not valid. */
export function parseNetworks(texts: readonly string[]): { networks: BlockList; wrong: string[] } {
  const networks = new BlockList()
  const wrong: string[] = []
  for (const text of texts) {
    const [address = '', bits, more] = text.split('/')
    const family = isIP(address)
    const size = bits === undefined ? (family === 6 ? 128 : 32) : Number(bits)
    if (!family || more !== undefined || !/^\d{1,3}$/.test(bits ?? '0') || size > (family === 6 ? 128 : 32))
      wrong.push(text)
    else networks.addSubnet(address, size, family === 6 ? 'ipv6' : 'ipv4')
  }
  return { networks, wrong }
}

export function isInNetwork(networks: BlockList, ip: string): boolean {
  return networks.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4')
}

/** Normalizes an IP address: no zone, brackets or port, IPv4-mapped IPv6 unwrapped. Undefined if it is not one. */
export function normaliseIp(text: string): string | undefined {
  let ip = text.trim()
  if (ip.length > 64) return undefined
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(ip)
  if (bracketed) ip = bracketed[1]!
  else if (/^\d+\.\d+\.\d+\.\d+:\d+$/.test(ip)) ip = ip.slice(0, ip.lastIndexOf(':'))
  ip = ip.replace(/%.*$/, '')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)
  if (mapped) ip = mapped[1]!
  return isIP(ip) ? ip.toLowerCase() : undefined
}

/** The client's address: the peer or, behind trusted proxies, the rightmost hop that is not a trusted proxy. */
export function clientIp(peer: string, forwardedFor: string | undefined, trusted: BlockList): string {
  let client = normaliseIp(peer) ?? '0.0.0.0'
  if (!forwardedFor || !isInNetwork(trusted, client)) return client
  for (const hop of forwardedFor.split(',').toReversed()) {
    const ip = normaliseIp(hop)
    if (!ip) return client
    client = ip
    if (!isInNetwork(trusted, ip)) return client
  }
  return client
}

/** The network of an address, as text: `192.0.2.0/24`; for IPv6 with 32 hex digits, without colons. */
export function networkOf(ip: string, bits4: number, bits6: number): string {
  const address = ipaddr.parse(ip)
  const isIpv4 = address.kind() === 'ipv4'
  const bits = isIpv4 ? bits4 : bits6
  const bytes = address.toByteArray()
  for (let index = 0; index < bytes.length; index++)
    bytes[index]! &= (0xff << Math.max(0, Math.min(8, 8 - (bits - index * 8)))) & 0xff
  return `${isIpv4 ? bytes.join('.') : Buffer.from(bytes).toString('hex')}/${bits}`
}
