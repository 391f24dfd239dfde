/** The types of fields that are loaded when a form needs them, by their names in a blueprint. */
const heavy: Readonly<Record<string, () => Promise<unknown>>> = {
  blocks: () => import('./blocks/blocks-field.tsx'),
  files: () => import('./picker/picker-field.tsx'),
  layout: () => import('./layout/layout-field.tsx'),
  list: () => import('./writer-field.tsx'),
  pages: () => import('./picker/picker-field.tsx'),
  structure: () => import('./structure/structure-field.tsx'),
  users: () => import('./picker/picker-field.tsx'),
  writer: () => import('./writer-field.tsx'),
}

/** Begins to load those that a form is known to need, before it is drawn. */
export function preloadTypes(types: Iterable<string | undefined>): void {
  for (const type of new Set(types)) if (type !== undefined) heavy[type]?.().catch(() => {}) // tried again when it is drawn
}
