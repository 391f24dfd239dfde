import type { Blueprints } from './blueprints.ts'
import { type BlueprintParts, builtInParts, type LoadedBlueprints, readBlueprints } from './read.ts'
import { type WatchedFolder, watchFolders } from './watch.ts'

/** Reads the blueprints of a site. Mistakes in them are reported and never keep the site from opening. */
export function openBlueprints(site: string, parts: BlueprintParts = builtInParts): Blueprints {
  let reading = readBlueprints(site, parts)
  let close: (() => void) | undefined

  function reload(onChange: () => void): void {
    const next = readBlueprints(site, parts, reading)
    if (next === reading) return
    reading = next
    blueprints.version++
    onChange()
  }

  const blueprints: Blueprints & { version: number } = {
    version: 1,
    get problems() {
      return reading.problems
    },
    site: () => reading.site,
    page: template => reading.pages.get(template) ?? reading.pages.get('default')!,
    file: template => reading.files.get(template) ?? reading.files.get('default')!,
    role: name => reading.roles.get(name),
    nobody: () => reading.nobody,
    user: role => reading.roles.get(role) ?? reading.user,
    templates: kind => [...reading[kind].keys()],
    roles: () => [...reading.roles.keys()],
    watch(onChange) {
      close ??= watchFolders(
        () => watched(site, reading),
        () => reload(onChange),
      )
    },
    close() {
      close?.()
      close = undefined
    },
  }
  return blueprints
}

/** The folder, its subfolders, and the site folder, to notice that `blueprints` itself is created or removed. */
function watched(site: string, { folder }: LoadedBlueprints): WatchedFolder[] {
  return [{ folder: site, only: 'blueprints' }, ...folder.folders.map(path => ({ folder: path }))]
}
