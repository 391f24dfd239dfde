import { useQuery } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { toSlug } from './slug.ts'

/** Converts titles to slugs with the rules of the content language, as the server does. */
export function useSlugify(language: string | undefined): (title: string) => string {
  const { data } = useQuery({
    queryKey: [...keys.system, 'slugs', language],
    queryFn: () => client.system.get({ language, select: ['ascii', 'slugs'] }),
    staleTime: Infinity,
  })
  return title => (data && 'slugs' in data ? toSlug(title, data.slugs, data.ascii) : toSlug(title))
}
