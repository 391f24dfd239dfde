/**
 * Replaces values that occur more than once by references to a component, and returns the components. `name` suggests
 * the name of a component; further ones of the same name are numbered.
 */
export function share<Value extends object>(
  kind: 'requestBodies' | 'responses',
  uses: readonly { value: Value; name: string; replace: (reference: { $ref: string }) => void }[],
  minLength = 90,
): Record<string, Value> {
  const shared: Record<string, Value> = {}
  for (const [text, same] of Map.groupBy(uses, ({ value }) => JSON.stringify(value))) {
    const [{ value, name }] = same as [(typeof uses)[number]]
    if (same.length < 2 || text.length < minLength || '$ref' in value) continue
    let free = name
    for (let number = 2; free in shared; number++) free = `${name}${number}`
    shared[free] = value
    for (const { replace } of same) replace({ $ref: `#/components/${kind}/${free}` })
  }
  return shared
}

/** `pages.changeTitle` → `PagesChangeTitle` */
export const componentName = (operation: string): string =>
  operation.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())
