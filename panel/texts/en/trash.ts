export const trash = {
  'trash.info': {
    one: 'Deleted items can be restored for {count} day.',
    other: 'Deleted items can be restored for {count} days.',
  },
  'trash.none': 'The trash is empty.',
  'trash.what': 'Item',
  'trash.when': 'Deleted',
  'trash.expires': 'Expires',
  'trash.by': '{when} by {name}',
  'trash.kind': 'Type',
  'trash.kind.all': 'All types',
  'trash.kind.page': 'Pages',
  'trash.kind.file': 'Files',
  'trash.kind.user': 'Users',
  'trash.pages': { one: '{count} page', other: '{count} pages' },
  'trash.files': { one: '{count} file', other: '{count} files' },
  'trash.restore': 'Restore',
  'trash.restore.one': 'Restore “{title}”',
  'trash.restore.elsewhere': 'Restore elsewhere',
  'trash.restore.title': 'Restore “{title}”',
  'trash.restore.where': 'Parent page',
  'trash.restore.to': 'New URL: {address}',
  'trash.restore.name': 'File name',
  'trash.restore.user':
    'The account is restored as disabled and without a password. Enable it to invite the user again.',
  'trash.restored': '“{title}” restored',
  'trash.open': 'Open',
  'trash.undo.failed': '“{title}” could not be restored',
  'trash.show': 'Show trash',
  'trash.more': 'Actions for “{title}”',
  'trash.delete': 'Delete permanently',
  'trash.delete.title': 'Delete “{title}” permanently?',
  'trash.delete.text': 'Its content, history and files cannot be restored after this.',
  'trash.deleted': '“{title}” deleted permanently',
  'trash.empty': 'Empty trash',
  'trash.empty.title': 'Empty the trash?',
  'trash.empty.text':
    'All items in the trash that you have permission to delete are deleted permanently, including items deleted by others.',
  'trash.emptied': {
    one: '{count} item deleted permanently',
    other: '{count} items deleted permanently',
  },
  'trash.delete.page': {
    one: 'The page is moved to the trash, in all languages and with its history. You can restore it for {count} day.',
    other:
      'The page is moved to the trash, in all languages and with its history. You can restore it for {count} days.',
  },
  'trash.delete.file': {
    one: 'The file is moved to the trash and is no longer shown anywhere. You can restore it for {count} day.',
    other: 'The file is moved to the trash and is no longer shown anywhere. You can restore it for {count} days.',
  },
  'trash.delete.user': {
    one: 'Sessions, API tokens, password and second factors are deleted immediately. The account with its profile image and files is moved to the trash and can be restored for {count} day. The content of pages is kept.',
    other:
      'Sessions, API tokens, password and second factors are deleted immediately. The account with its profile image and files is moved to the trash and can be restored for {count} days. The content of pages is kept.',
  },
} as const
