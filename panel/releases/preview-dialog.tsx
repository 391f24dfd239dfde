import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { CopyButton } from '../account/copy.tsx'
import { client } from '../app/client.ts'
import { errorText } from '../app/errors.ts'
import { useContentLanguage } from '../app/language.ts'
import { flushDrafts } from '../editor/open-drafts.ts'
import { formatDate, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import type { Release } from './query.ts'

/** A link that shows the site as if the release were published. */
export function PreviewDialog({ release: { id, name }, onClose }: { release: Release; onClose: () => void }) {
  const { code: language } = useContentLanguage()
  const { data: link, error } = useQuery({
    queryKey: ['release-preview', id, language],
    queryFn: async () => {
      await flushDrafts()
      return client.site.releases.preview({ release: id, language }, {})
    },
    staleTime: Infinity,
    gcTime: 0,
  })
  return (
    <Dialog
      open
      title={t('releases.preview.title', { name })}
      description={t('releases.preview.text')}
      onClose={onClose}
      footer={
        link && (
          <Button variant="primary" icon={ExternalLink} render={<a href={link.url} target="_blank" rel="noreferrer" />}>
            {t('releases.preview.open')}
          </Button>
        )
      }
    >
      {error ? (
        <Notice live tone="danger">
          {errorText(error)}
        </Notice>
      ) : link ? (
        <Field
          label={t('preview.share.link')}
          help={t('preview.share.until', {
            date: formatDate(link.expires, { dateStyle: 'medium', timeStyle: 'short' }),
          })}
        >
          <Input mono readOnly dir="ltr" value={link.url} onChange={() => {}} action={<CopyButton text={link.url} />} />
        </Field>
      ) : (
        <Skeleton lines={2} />
      )}
    </Dialog>
  )
}
