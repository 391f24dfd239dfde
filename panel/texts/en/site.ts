export const site = {
  'site.actions': 'Site actions',
  'site.files': 'All site files',
} as const
