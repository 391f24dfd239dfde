import manifest from '../../package.json' with { type: 'json' }

/** The version of this release, as in package.json. */
export const release: string = manifest.version

/** Major and minor version, as in the reference: `0.1`. Unauthenticated clients do not see more. */
export const releaseLine: string = release.split('.', 2).join('.')
