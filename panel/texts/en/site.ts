export const site = {
  'site.actions': 'More about the site',
  'site.title.change': 'Change the title',
  'site.files': 'All files of the site',
} as const
