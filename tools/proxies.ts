/** Proxies in front of servers, each with its configuration in `deploy/`: only ports, addresses and the certificate differ. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  configurationOf,
  folderFor,
  hasProgram,
  replaceParts,
  type ServerProgram,
  startProgram,
} from './server-program.ts'

interface ProxyOptions {
  /** The ports of the servers behind it, and its own for HTTP and HTTPS. */
  ports: { backends: readonly number[]; http: number; https: number }
  certificate: { cert: string; key: string }
}

export interface Proxy {
  name: string
  isInstalled(): boolean
  start(options: ProxyOptions): Promise<ServerProgram>
}

const nginx: Proxy = {
  name: 'nginx',
  isInstalled: () => hasProgram('nginx', '-v'),
  start: ({ ports: { backends, http, https }, certificate }) => {
    const folder = folderFor('nginx')
    writeFileSync(join(folder, 'cert.pem'), certificate.cert)
    writeFileSync(join(folder, 'key.pem'), certificate.key)
    const site = replaceParts(
      configurationOf('nginx.conf'),
      ['listen 80;', `listen 127.0.0.1:${http};`],
      ['listen 443 ssl', `listen 127.0.0.1:${https} ssl`],
      ['server 127.0.0.1:4080;', backends.map(port => `server 127.0.0.1:${port};`).join(' ')],
      ['/etc/letsencrypt/live/cms.example.org/fullchain.pem', join(folder, 'cert.pem')],
      ['/etc/letsencrypt/live/cms.example.org/privkey.pem', join(folder, 'key.pem')],
    )
    writeFileSync(join(folder, 'site.conf'), site)
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    for (const kind of kinds) mkdirSync(join(folder, kind))
    const temporary = kinds.map(kind => `${kind}_temp_path ${join(folder, kind)};`).join('\n')
    const main = `daemon off; master_process off; error_log stderr; pid ${folder}/pid;
events {}
http { access_log off; ${temporary}
include site.conf; }
`
    writeFileSync(join(folder, 'nginx.conf'), main)
    const words = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr']
    return startProgram(['nginx', ...words], { port: https, folder })
  },
}

/** With certificates of its own authority instead of those of a public one. */
const caddy: Proxy = {
  name: 'Caddy',
  isInstalled: () => hasProgram('caddy', 'version'),
  start: ({ ports: { backends, http, https } }) => {
    const folder = folderFor('caddy')
    const options = ['admin off', 'local_certs', 'skip_install_trust', 'default_bind 127.0.0.1', `http_port ${http}`]
    const site = replaceParts(configurationOf('Caddyfile'), [
      'reverse_proxy 127.0.0.1:4080',
      `reverse_proxy ${backends.map(port => `127.0.0.1:${port}`).join(' ')}`,
    ])
    const file = join(folder, 'Caddyfile')
    writeFileSync(file, `{\n${[...options, `https_port ${https}`].join('\n')}\n}\n${site}`)
    const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    return startProgram(['caddy', 'run', '--config', file, '--adapter', 'caddyfile'], { port: https, folder, env })
  },
}

const haproxy: Proxy = {
  name: 'HAProxy',
  isInstalled: () => hasProgram('haproxy', '-v'),
  start: ({ ports: { backends, http, https }, certificate }) => {
    const folder = folderFor('haproxy')
    const pem = join(folder, 'cert.pem')
    writeFileSync(pem, certificate.cert + certificate.key)
    const [first, second = first] = backends
    const site = replaceParts(
      configurationOf('haproxy.cfg'),
      ['  user haproxy\n  group haproxy\n', ''],
      ['bind :80\n', `bind 127.0.0.1:${http}\n`],
      ['bind :443 ', `bind 127.0.0.1:${https} `],
      ['/etc/haproxy/certs/cms.example.org.pem', pem],
      ['10.0.0.11:4080', `127.0.0.1:${first}`],
      ['10.0.0.12:4080', `127.0.0.1:${second}`],
    )
    writeFileSync(join(folder, 'haproxy.cfg'), site)
    return startProgram(['haproxy', '-db', '-f', join(folder, 'haproxy.cfg')], { port: https, folder })
  },
}

export const proxies: readonly Proxy[] = [nginx, caddy, haproxy]
