import { useSession } from '../app/session.ts'
import { type Rules, toSlug } from './slug.ts'

/** How titles become slugs on this site. */
export function useSlugs(): (title: string) => string {
  const { system } = useSession()
  const { slugs = {}, ascii = {} } = system as { slugs?: Rules; ascii?: Rules }
  return title => toSlug(title, slugs, ascii)
}
