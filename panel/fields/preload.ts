/** Types of fields whose code is loaded on demand, by their names in a blueprint. */
const heavy: Readonly<Record<string, () => Promise<unknown>>> = {
  blocks: () => import('./blocks/blocks-field.tsx'),
  files: () => import('./picker/picker-field.tsx'),
  layout: () => import('./layout/layout-field.tsx'),
  list: () => import('./writer-field.tsx'),
  pages: () => import('./picker/picker-field.tsx'),
  structure: () => import('./structure/structure-field.tsx'),
  table: () => import('./table/table-field.tsx'),
  users: () => import('./picker/picker-field.tsx'),
  writer: () => import('./writer-field.tsx'),
}

/** Starts to load the types that a form needs, before it is rendered. */
export function preloadTypes(types: Iterable<string | undefined>): void {
  for (const type of new Set(types)) if (type !== undefined) heavy[type]?.().catch(() => {}) // retried on render
}
