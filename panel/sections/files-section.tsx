import { useMutation, useQueryClient } from '@tanstack/react-query'
import { File, Images, SearchX } from 'lucide-react'
import { client } from '../app/client.ts'
import type { ContentResource, SectionOf, ShownSection } from '../editor/content-resource.ts'
import type { FileParent } from '../files/parent.ts'
import { DropZone, UploadButton, UploadList, useUploads } from '../files/upload.tsx'
import { t } from '../texts/texts.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import type { FileItem } from './item.ts'
import { Items } from './items.tsx'
import { ListFrame } from './list-frame.tsx'
import { ListSkeleton } from './list-skeleton.tsx'
import { SectionFailed } from './section-failed.tsx'
import { useListed } from './use-section.ts'

export function FilesSection({ resource, name }: { resource: ContentResource; name: string }) {
  const listed = useListed(resource, name, 'files')
  if (listed.error) return <SectionFailed error={listed.error} />
  if (!listed.data) return <ListSkeleton />
  return <Files resource={resource} listed={listed} section={listed.data} />
}

function Files({
  resource,
  listed,
  section,
}: {
  resource: ContentResource
  listed: ReturnType<typeof useListed<'files'>>
  section: SectionOf<'files'>
}) {
  const queryClient = useQueryClient()
  const { data, options } = section
  const { upload } = options
  const parent = parentIn(options.link ?? resource.link)
  const refresh = () => void queryClient.invalidateQueries({ queryKey: ['sections', resource.key] })
  const uploads = useUploads({
    parent,
    template: (upload && upload.attributes.template) || undefined,
    onUploaded: refresh,
  })
  const sort = useMutation({
    mutationFn: (next: FileItem[]) =>
      sortFiles(
        parent,
        next.map(({ filename }) => filename),
        section.pagination.offset,
      ),
    onMutate: async next => {
      await queryClient.cancelQueries({ queryKey: listed.key })
      queryClient.setQueryData<ShownSection>(listed.key, current =>
        current?.type === 'files' ? { ...current, data: next } : current,
      )
    },
    onSettled: refresh,
  })
  const single = upload ? !upload.multiple : false
  const add = upload && (
    <UploadButton uploads={uploads} size="small" accept={upload.accept ?? undefined} single={single}>
      {t('sections.files.add')}
    </UploadButton>
  )
  return (
    <DropZone uploads={uploads} disabled={!upload} single={single}>
      <div className="flex flex-col gap-3">
        <ListFrame
          section={section}
          actions={data.length > 0 && add}
          searchTerm={listed.searchTerm}
          onSearchTerm={listed.setSearchTerm}
          onPage={listed.setPage}
        >
          {data.length === 0 ? (
            listed.searchTerm.trim() === '' ? (
              <EmptyState small icon={Images} text={options.empty ?? t('sections.files.empty')} action={add} />
            ) : (
              <EmptyState small icon={SearchX} text={t('sections.notFound', { words: listed.searchTerm })} />
            )
          ) : (
            <Items
              section={section}
              sortableCount={options.sortable && upload ? data.length : 0}
              nameOf={({ filename }) => filename}
              onOrder={next => sort.mutate(next)}
              defaultIcon={File}
            />
          )}
        </ListFrame>
        <UploadList uploads={uploads} />
      </div>
    </DropZone>
  )
}

function parentIn(link: string): FileParent {
  const [, noun, id = ''] = link.split('/')
  return noun === 'pages' ? { kind: 'page', id } : noun === 'users' ? { kind: 'user', id } : { kind: 'site' }
}

async function sortFiles(parent: FileParent, files: string[], index: number): Promise<void> {
  if (parent.kind === 'site') await client.site.files.sort({}, { files, index })
  else if (parent.kind === 'page') await client.pages.files.sort({ id: parent.id }, { files, index })
  else await client.users.files.sort({ id: parent.id }, { files, index })
}
