/** Templates of pages or files, or roles of accounts, by name. */
export interface Templates {
  /** Undefined allows every name except those in `except`. */
  templates: readonly string[] | undefined
  except: readonly string[]
}

export const hasTemplate = ({ templates, except }: Templates, template: string): boolean =>
  templates ? templates.includes(template) : !except.includes(template)

/** Names without a blueprint are treated like `fallback`, whose options they have. */
export function templatesThat(
  names: readonly string[],
  matches: (name: string) => boolean,
  fallback = 'default',
): Templates {
  if (matches(fallback)) return { templates: undefined, except: names.filter(name => !matches(name)) }
  return { templates: names.filter(matches), except: [] }
}
