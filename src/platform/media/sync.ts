import { spawn } from 'node:child_process'
import { closeSync, fsyncSync, openSync, statfsSync } from 'node:fs'

/** When it returns or resolves, these files and folders are on the disk. */
export type Sync = (files: readonly string[], folders: readonly string[]) => void | Promise<void>

/** Calls fsync for each, synchronously. */
export function syncEach(files: readonly string[], folders: readonly string[]): void {
  for (const path of files) syncOne(path, 'r+')
  // Windows makes renames durable by itself, and cannot fsync a folder.
  if (process.platform !== 'win32') for (const path of folders) syncOne(path, 'r')
}

function syncOne(path: string, flags: 'r' | 'r+'): void {
  const file = openSync(path, flags)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Magic numbers of ext4, XFS, Btrfs, ZFS, F2FS, overlayfs and tmpfs, where syncing the whole file system is reliable.
 * Others may report success without having done it.
 */
const trusted = new Set([0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0x794c7630, 0x01021994])

const isTrusted = (folder: string) => process.platform === 'linux' && trusted.has(statfsSync(folder).type)

/** The fastest reliable way. */
export const syncFor = (folder: string): Sync => (isTrusted(folder) ? openDiskSync(folder) : syncEach)

/**
 * Syncs the whole file system at once, with the `sync` program of Linux. A small shell waits for requests and starts
 * it: starting it from this process would copy the page tables of all its memory every time.
 */
function openDiskSync(folder: string): Sync {
  const loop = 'while read -r _; do sync --file-system "$0" && echo yes || echo no; done'
  const shell = spawn('sh', ['-c', loop, folder], { stdio: ['pipe', 'pipe', 'ignore'] })
  let answer: ((isDone: boolean) => void) | undefined
  let isGone = false
  const end = () => {
    isGone = true
    answer?.(false)
  }
  shell.stdout.on('data', (text: Buffer) => answer?.(String(text).startsWith('yes')))
  for (const ended of [shell, shell.stdin]) ended.on('error', end)
  shell.on('close', end)
  return async (files, folders) => {
    const isDone =
      !isGone &&
      (await new Promise<boolean>(resolve => {
        answer = resolve
        shell.stdin.write('\n')
      }))
    if (!isDone) syncEach(files, folders)
  }
}
