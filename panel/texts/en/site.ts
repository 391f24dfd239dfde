export const site = {
  'site.actions': 'Site actions',
  'site.title.change': 'Change title',
  'site.files': 'All site files',
} as const
