import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { App } from '../../../app.ts'
import { ApiError, fail } from '../../../platform/errors.ts'
import { isInNetwork, normaliseIp, parseNetworks } from '../../../platform/lib/ip.ts'

/** An address that may be connected to. */
export interface CheckedAddress {
  url: URL
  /** The addresses that were checked: the connection must go to one of them, not to what another look-up returns. */
  ips: { address: string; family: number }[]
}

/**
 * Resolves and checks the address of a webhook, when it is saved and before every attempt: a name may resolve to the
 * internal network of the server (SSRF), now or later. Every address that the name resolves to must be public, unless
 * `webhooks.allow` lists the host or the network.
 */
export async function checkAddress({ config }: App, text: string): Promise<CheckedAddress | ApiError> {
  if (!URL.canParse(text)) return fail('webhook.url.invalid')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return fail('webhook.url.invalid')
  if (url.username !== '' || url.password !== '' || url.hash !== '') return fail('webhook.url.invalid')
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (host === '') return fail('webhook.url.invalid')
  const ips = await lookUp(host)
  if (ips.length === 0) return fail('webhook.url.unknown')
  const allowed = allowedBy(config.webhooks.allow, host)
  if (!ips.every(({ address }) => allowed(address) || isPublic(address))) return fail('webhook.url.private')
  if (url.protocol === 'http:' && !ips.every(({ address }) => allowed(address))) return fail('webhook.url.insecure')
  return { url, ips }
}

/** The same, as an error for the caller. */
export async function addressMustBeAllowed(app: App, text: string): Promise<void> {
  const checked = await checkAddress(app, text)
  if (checked instanceof ApiError) throw checked
}

async function lookUp(host: string): Promise<CheckedAddress['ips']> {
  const family = isIP(host)
  if (family) return [{ address: host, family }]
  try {
    return await dns.lookup(host, { all: true })
  } catch {
    return []
  }
}

function allowedBy(list: readonly string[], host: string): (address: string) => boolean {
  if (list.some(entry => entry.toLowerCase() === host)) return () => true
  const { networks } = parseNetworks(list)
  return address => isInNetwork(networks, normaliseIp(address) ?? address)
}

/**
 * Global unicast addresses only. IPv6 addresses that contain an IPv4 address (mapped, NAT64, 6to4, Teredo) have ranges
 * of their own, and are refused.
 */
function isPublic(text: string): boolean {
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || address.toByteArray()[0]! >> 5 === 1 // 2000::/3
}
