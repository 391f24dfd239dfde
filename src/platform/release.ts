import manifest from '../../package.json' with { type: 'json' }

/** The number of this release, as in package.json. */
export const release: string = manifest.version

/** The line of this release, as the reference names it: `0.1`. More than that is told to nobody who has not signed in. */
export const releaseLine: string = release.split('.', 2).join('.')
