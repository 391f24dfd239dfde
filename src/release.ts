import manifest from '../package.json' with { type: 'json' }

/** The number of this release, as in package.json. */
export const release: string = manifest.version
