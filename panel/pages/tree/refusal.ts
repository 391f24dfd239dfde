import { t } from '../../texts/texts.ts'
import { acceptsTemplate, type TreePage } from './nodes.ts'

/** The page or site that another page would be moved into. */
interface Parent {
  title: string
  acceptedTemplates: TreePage['acceptedTemplates'] | undefined
}

/** Says why a parent does not take a page of a template. `type` is the title of its blueprint. Undefined if it does. */
export function refusalOf({ title, acceptedTemplates }: Parent, template: string, type: string): string | undefined {
  if (acceptsTemplate(acceptedTemplates, template)) return undefined
  return acceptedTemplates?.length === 0
    ? t('pages.move.takesNone', { parent: title })
    : t('pages.move.refused', { parent: title, type })
}

/** Whether a page is another one, or below it. */
export const isWithin = (path: string, of: string): boolean => path === of || path.startsWith(`${of}/`)
