import { client } from '../app/client.ts'
import { ShownError } from '../app/errors.ts'
import { keys, queryClient } from '../app/query.ts'
import { formatSize, t } from '../texts/texts.ts'

const limitQuery = {
  queryKey: [...keys.system, 'maxFileSize'],
  queryFn: async () => {
    const system = await client.system.get({ select: ['maxFileSize'] })
    return 'maxFileSize' in system ? system.maxFileSize : Infinity
  },
  staleTime: Infinity,
}

/** Throws if the file is larger than the server accepts, so that it is not sent in vain. */
export async function mustFit({ size }: File): Promise<void> {
  const limit = await queryClient.fetchQuery(limitQuery)
  if (size > limit) throw new ShownError(t('files.tooLarge', { size: formatSize(size), limit: formatSize(limit) }))
}
