import type { Blueprints } from './blueprints.ts'
import { fieldTypes } from './fields/index.ts'
import { type LoadedBlueprints, readBlueprints } from './read.ts'
import { type WatchedFolder, watchFolders } from './watch.ts'

/** Reads the blueprints of a site. Mistakes in them are reported and never keep the site from opening. */
export function openBlueprints(site: string): Blueprints {
  let reading = readBlueprints(site, fieldTypes)
  let close: (() => void) | undefined

  function readAgain(onChange: () => void): void {
    const next = readBlueprints(site, fieldTypes, reading)
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
        () => readAgain(onChange),
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
