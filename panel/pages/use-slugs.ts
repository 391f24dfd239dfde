import { useQuery } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { type Rules, toSlug } from './slug.ts'

/** Converts titles to slugs with the rules of this site. */
export function useSlugs(): (title: string) => string {
  const { data = {} } = useQuery({
    queryKey: [...keys.system, 'slugs'],
    queryFn: async () =>
      (await client.system.get({ select: ['ascii', 'slugs'] })) as unknown as { slugs?: Rules; ascii?: Rules },
    staleTime: Infinity,
  })
  return title => toSlug(title, data.slugs ?? {}, data.ascii ?? {})
}
