/** An nginx in front of a server, with the configuration of the guide. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const configuration = join(import.meta.dirname, '../docs/guide/nginx.conf')

export function hasNginx(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export interface NginxOptions {
  /** The port of the server behind it, and its own for HTTP and HTTPS. */
  ports: { backend: number; http: number; https: number }
  certificate: { cert: string; key: string }
}

export async function startNginx({ ports, certificate }: NginxOptions): Promise<{ stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-nginx-'))
  for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'cert.pem'), certificate.cert)
  writeFileSync(join(folder, 'key.pem'), certificate.key)
  const site = readFileSync(configuration, 'utf8')
    .replace('listen 80;', `listen 127.0.0.1:${ports.http};`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${ports.https} ssl`)
    .replace('127.0.0.1:4080', `127.0.0.1:${ports.backend}`)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${join(folder, 'cert.pem')};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${join(folder, 'key.pem')};`)
  writeFileSync(join(folder, 'site.conf'), site)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `${name}_temp_path ${join(folder, name.replace('client_', ''))};`)
    .join('\n')
  const main = `daemon off; master_process off; error_log stderr; pid ${folder}/pid;
events {}
http { access_log off; ${temporary}
include site.conf; }
`
  writeFileSync(join(folder, 'nginx.conf'), main)
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let problem = ''
  child.stderr.on('data', chunk => (problem += String(chunk)))
  while (!(await isListening(ports.https))) {
    if (child.exitCode !== null) throw new Error(`nginx has ended: ${problem}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return {
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const isListening = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
