/** Filters pages or files by template, or accounts by role. */
export interface TemplateFilter {
  /** Undefined allows every name except those in `except`. */
  templates: readonly string[] | undefined
  except: readonly string[]
}

export const hasTemplate = ({ templates, except }: TemplateFilter, template: string): boolean =>
  templates ? templates.includes(template) : !except.includes(template)

/** Names without a blueprint are treated like `fallback`, whose options they have. */
export function templatesMatching(
  names: readonly string[],
  matches: (name: string) => boolean,
  fallback = 'default',
): TemplateFilter {
  if (matches(fallback)) return { templates: undefined, except: names.filter(name => !matches(name)) }
  return { templates: names.filter(matches), except: [] }
}
