import { useState } from 'react'
import { useContentLanguage } from '../app/language.ts'
import { useSession } from '../app/session.ts'
import { FormDialog } from '../pages/dialogs/form-dialog.tsx'
import { parentOf } from '../pages/tree/nodes.ts'
import { PageTree } from '../pages/tree/page-tree.tsx'
import { t } from '../texts/texts.ts'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Notice } from '../ui/notice.tsx'
import { type TrashEntry, restore, type RestoreOptions } from './entry.ts'

interface Props {
  entry: TrashEntry
  /** Why it could not be restored to its former place. */
  problem?: string | undefined
  /** The former parent page no longer exists. */
  isGone?: boolean | undefined
  onClose: () => void
  onRestored: (link: string) => void
}

/** Restores an entry to another parent or under another name, if the former one is taken or gone. */
export function RestoreDialog({ entry, problem, isGone = false, onClose, onRestored }: Props) {
  const { kind, title, path } = entry
  const [parent, setParent] = useState(isGone || isOfAccount(entry) ? '' : parentOf(path))
  const [name, setName] = useState(nameIn(entry))
  const extension = kind === 'file' ? path.slice(path.lastIndexOf('.')) : ''
  const place = `${parent === '' ? '' : `/${parent}`}/${name}${extension}`
  const options: RestoreOptions =
    kind === 'user'
      ? { email: name }
      : { parent: parent === '' ? null : parent, ...(kind === 'page' ? { slug: name } : { name }) }
  return (
    <FormDialog
      title={t('trash.restore.title', { title })}
      confirm={t('trash.restore')}
      disabled={name.trim() === ''}
      onClose={onClose}
      run={() => restore(entry.id, options)}
      onDone={({ link }) => onRestored(link)}
    >
      {errors => (
        <>
          {problem !== undefined && <Notice tone="warn">{problem}</Notice>}
          {kind !== 'user' && <Place parent={parent} onChange={setParent} />}
          <Field label={labelOf(kind)} required error={errors['slug'] ?? errors['name'] ?? errors['email']}>
            <Input value={name} mono={kind !== 'user'} spellCheck={false} onChange={setName} />
          </Field>
          <p role="status" className="text-sm wrap-anywhere text-muted">
            {kind === 'user' ? t('trash.restore.user') : t('trash.restore.to', { address: place })}
          </p>
        </>
      )}
    </FormDialog>
  )
}

function Place({ parent, onChange }: { parent: string; onChange: (id: string) => void }) {
  const { system } = useSession()
  const { code: language } = useContentLanguage()
  return (
    <PageTree
      label={t('trash.restore.where')}
      root={system.title ?? ''}
      language={language}
      selected={parent}
      onSelect={leaf => onChange(leaf?.id ?? '')}
      className="h-[min(18rem,40dvh)] rounded-md border p-1"
    />
  )
}

/** An account, or a file of one: its path contains an e-mail address, and slugs never contain `@`. */
const isOfAccount = ({ path }: TrashEntry) => path.includes('@')

/** The slug, the filename without extension, or the e-mail address. */
function nameIn({ kind, path }: TrashEntry): string {
  if (kind === 'user') return path
  const last = path.slice(path.lastIndexOf('/') + 1)
  return kind === 'file' ? last.slice(0, last.lastIndexOf('.')) : last
}

const labelOf = (kind: TrashEntry['kind']) =>
  t(kind === 'page' ? 'pages.slug' : kind === 'file' ? 'trash.restore.name' : 'users.email')
