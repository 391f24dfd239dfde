import { spawn } from 'node:child_process'
import { closeSync, fsyncSync, openSync, statfsSync } from 'node:fs'

/** When it resolves, these files and folders are on the disk. */
export type Sync = (files: readonly string[], folders: readonly string[]) => void | Promise<void>

/** One after the other, here and now. */
export function syncEach(files: readonly string[], folders: readonly string[]): void {
  for (const path of files) syncOne(path, 'r+')
  // Windows keeps names by itself, and cannot be asked to.
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

/** ext4, XFS, Btrfs, ZFS, F2FS, overlays and memory do what they are asked for as a whole; others say so and may not. */
const trusted = new Set([0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0x794c7630, 0x01021994])

const isTrusted = (folder: string) => process.platform === 'linux' && trusted.has(statfsSync(folder).type)

/** The quickest way that can be trusted. */
export const syncFor = (folder: string): Sync => (isTrusted(folder) ? openDiskSync(folder) : syncEach)

/**
 * Linux can be told once for all that is on a disk, by a program. Whoever starts it is somebody small who waits to be asked: to
 * start it ourselves, all the memory of this process would have to be marked every time.
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
