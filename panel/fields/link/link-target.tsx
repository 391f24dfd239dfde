import { useQuery } from '@tanstack/react-query'
import { Unlink } from 'lucide-react'
import { use } from 'react'
import { t } from '../../texts/texts.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { EditedContentContext } from '../form-contexts.ts'
import { EntryThumb } from '../picker/thumb.tsx'
import { referenceOf } from './kinds.ts'
import { referenceQuery } from './references.ts'

/** The target of a link: page or file with its picture and name, otherwise the URL. */
export function LinkTarget({ link }: { link: string }) {
  const reference = referenceOf(link)
  return reference === undefined ? <span className="truncate">{link}</span> : <ReferenceTarget reference={reference} />
}

function ReferenceTarget({ reference }: { reference: string }) {
  const { language } = use(EditedContentContext)
  const { data: entry, isPending, isError } = useQuery(referenceQuery(reference, language))
  const isPage = reference.startsWith('page:')
  if (isPending) return <Skeleton className="h-4 w-32" />
  if (isError) return <span className="block truncate">{reference}</span>
  if (!entry)
    return (
      <span className="flex min-w-0 items-center gap-2 text-danger">
        <Unlink aria-hidden="true" className="shrink-0" />
        <span className="min-w-0 wrap-anywhere">{t(isPage ? 'fields.link.gone.page' : 'fields.link.gone.file')}</span>
      </span>
    )
  return (
    <span className="flex min-w-0 items-center gap-2">
      <EntryThumb entry={entry} type={isPage ? 'pages' : 'files'} size="tiny" />
      <span className="min-w-0 truncate">{entry.text}</span>
      {entry.id !== entry.text && (
        <span className="min-w-0 truncate text-sm font-normal text-muted max-sm:hidden">{entry.id}</span>
      )}
    </span>
  )
}
