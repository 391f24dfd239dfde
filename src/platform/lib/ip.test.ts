import { isIP } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clientIp, isInNetwork, networkOf, parseNetworks, normaliseIp } from './ip.ts'
import { rounds } from '../../../test/slow.ts'

const { networks: trusted } = parseNetworks(['10.0.0.0/8', '2001:db8:ff::/48', '::1'])

test('networks are parsed, and invalid ones are named', () => {
  expect(parseNetworks(['10.0.0.0/8', '192.0.2.1', '::1', '2001:db8::/32', '0.0.0.0/0']).wrong).toEqual([])
  const wrong = [
    '10.0.0.0/33',
    '::/129',
    'example.org',
    '',
    '10.0.0/8',
    '10.0.0.0/',
    '10.0.0.0/x',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
  ]
  expect(parseNetworks(['10.0.0.0/8', ...wrong]).wrong).toEqual(wrong)
})

test('an address matches its networks, also as IPv6', () => {
  for (const ip of ['10.0.0.0', '10.255.255.255', '2001:db8:ff::1', '::1'])
    expect([ip, isInNetwork(trusted, ip)]).toEqual([ip, true])
  for (const ip of ['11.0.0.0', '9.255.255.255', '2001:db8:fe::1', '::2'])
    expect([ip, isInNetwork(trusted, ip)]).toEqual([ip, false])
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  [' 192.0.2.1 ', '192.0.2.1'],
  ['192.0.2.1:8080', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['[2001:DB8::1]:443', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['example.org', undefined],
  ['', undefined],
  ['unknown', undefined],
  ['_hidden', undefined],
  ['256.0.0.1', undefined],
  ['1.2.3', undefined],
  ['1.2.3.4.5', undefined],
  ['"192.0.2.1"', undefined],
  ['[192.0.2.1', undefined],
  ['1'.repeat(1000), undefined],
])('%j is normalised to %s', (text, ip) => {
  expect(normaliseIp(text)).toBe(ip)
})

test.each([
  ['192.0.2.1', '1.2.3.4', '192.0.2.1', 'the header of an untrusted peer is ignored'],
  ['10.0.0.1', undefined, '10.0.0.1', 'a proxy without the header'],
  ['10.0.0.1', '', '10.0.0.1', 'a proxy with an empty header'],
  ['10.0.0.1', '1.2.3.4', '1.2.3.4', 'the header of a trusted proxy is used'],
  ['10.0.0.1', '6.6.6.6, 1.2.3.4', '1.2.3.4', 'only the hop that the proxy has added'],
  ['10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2', '1.2.3.4', 'through a second proxy'],
  ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3', 'all hops are trusted proxies'],
  ['10.0.0.1', '1.2.3.4, nonsense', '10.0.0.1', 'an invalid hop ends the chain'],
  ['10.0.0.1', '1.2.3.4, nonsense, 10.0.0.2', '10.0.0.2', 'an invalid hop ends the chain after another proxy'],
  ['10.0.0.1', '1.2.3.4,', '10.0.0.1', 'an empty hop is invalid'],
  ['::ffff:10.0.0.1', '::ffff:1.2.3.4', '1.2.3.4', 'IPv4 in IPv6'],
  ['2001:db8:ff::1', '[2001:db8::7]:99', '2001:db8::7', 'IPv6 with a port'],
  ['', '1.2.3.4', '0.0.0.0', 'a closed connection'],
])('the client behind %s with X-Forwarded-For %j is %s: %s', (...[peer, forwarded, ip]) => {
  expect(clientIp(peer, forwarded, trusted)).toBe(ip)
})

test('any X-Forwarded-For gives an address, and nothing throws', () => {
  const hop = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.string(),
    fc.constantFrom('', ' ', '10.0.0.2', '[::1]:1', '::ffff:1.2.3.4', 'fe80::1%0'),
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(hop).map(hops => hops.join(',')),
      ),
      fc.oneof(hop, fc.constant('10.0.0.1')),
      (forwarded, peer) => {
        const ip = clientIp(peer, forwarded, trusted)
        expect(isIP(ip)).not.toBe(0)
        expect(clientIp(ip, undefined, trusted)).toBe(ip)
      },
    ),
    { numRuns: rounds(50, 1000) },
  )
})

test('the network of an address', () => {
  expect(networkOf('192.0.2.77', 24, 48)).toBe('192.0.2.0/24')
  expect(networkOf('192.0.2.77', 32, 64)).toBe('192.0.2.77/32')
  expect(networkOf('255.255.255.255', 20, 64)).toBe('255.255.240.0/20')
  expect(networkOf('192.0.2.77', 0, 0)).toBe('0.0.0.0/0')
})

const of = (ip: string) => networkOf(ip, 24, 48)

test('addresses of one IPv6 network have the same text, and others do not', () => {
  expect(
    new Set(['2001:db8:1::', '2001:db8:1:ffff::1', '2001:0db8:0001:0:0:0:0:9', '2001:db8:1::192.0.2.1'].map(of)).size,
  ).toBe(1)
  expect(of('2001:db8:2::')).not.toBe(of('2001:db8:1::'))
  expect(of('::1')).toBe(of('::'))
  expect(networkOf('2001:db8:1:2:3::', 24, 64)).toBe('20010db8000100020000000000000000/64')
})

test('every address has a network of the right form', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.ipV4(), fc.ipV6()),
      fc.integer({ min: 0, max: 32 }),
      fc.integer({ min: 0, max: 128 }),
      (ip, bits4, bits6) => {
        expect(networkOf(ip, bits4, bits6)).toMatch(isIP(ip) === 4 ? /^\d+(\.\d+){3}\/\d+$/ : /^[0-9a-f]{32}\/\d+$/)
      },
    ),
  )
})
