export const preview = {
  'preview.title': 'Preview',
  'preview.of': 'Preview of {title}',
  'preview.width': 'Width of the preview',
  'preview.width.phone': 'Phone',
  'preview.width.tablet': 'Tablet',
  'preview.width.desktop': 'Desktop',
  'preview.reload': 'Load again',
  'preview.window': 'Open in a window',
  'preview.close': 'Close preview',
  'preview.unreachable': 'The site at {url} cannot be reached.',
  'preview.refused':
    'The site cannot be shown here, because it does not allow it. It must send the header “Content-Security-Policy: frame-ancestors {origin}”. At present it sends: {header}',
} as const
