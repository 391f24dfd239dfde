/** URIs in a stored text. Must find the same as the triggers of the database that fill `links`. */
export function targetsIn(data: string): Set<string> {
  const [, ...parts] = data
    .replaceAll(String.raw`\\/`, '/')
    .replaceAll(/\/@\/(file|page)\//g, '$1://')
    .split(/(file|page):\/\//)
  const targets = new Set<string>()
  for (let at = 0; at < parts.length; at += 2) {
    const [id = ''] = /^[\w-]*/.exec(parts[at + 1]!) ?? []
    if (id.length > 0 && id.length <= 64) targets.add(`${parts[at]!}://${id}`)
  }
  return targets
}
