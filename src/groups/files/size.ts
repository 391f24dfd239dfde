const units = ['B', 'KB', 'MB', 'GB', 'TB']

/** Formats a size for a locale, such as `1.4 KB`, with a no-break space. */
export function niceSize(bytes: number, language: string): string {
  if (bytes === 0) return '0\u00a0KB'
  const step = Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  return `${formatIn(language).format(bytes / 1024 ** step)}\u00a0${units[step]}`
}

const formats = new Map<string, Intl.NumberFormat>()

/** Cached: creating a formatter is slow, and there are few locales. */
function formatIn(language: string): Intl.NumberFormat {
  let format = formats.get(language)
  if (!format) {
    format = new Intl.NumberFormat(language.replaceAll('_', '-'), { maximumFractionDigits: 2 })
    formats.set(language, format)
  }
  return format
}
