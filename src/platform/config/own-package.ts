import { registerHooks } from 'node:module'

let isRegistered = false

/**
 * From now on `import … from 'quoin'` is the running program, from any file. A site may be anywhere, without
 * `node_modules`, or beside another release, which must not be loaded as well.
 */
export function resolveOwnPackage(): void {
  if (isRegistered) return
  isRegistered = true
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      // A package may import itself by its name, so the import is resolved as if this file had it.
      /^quoin(?:\/|$)/.test(specifier)
        ? nextResolve(specifier, { ...context, parentURL: import.meta.url })
        : nextResolve(specifier, context),
  })
}
