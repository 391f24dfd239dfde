import { useMemo } from 'react'
import { can, useSession } from '../app/session.ts'
import { Editor } from '../editor/editor.tsx'
import { userResource } from '../editor/content-resource.ts'
import { useDraft } from '../editor/use-draft.ts'
import { t } from '../texts/texts.ts'
import { Card } from '../ui/card.tsx'
import type { UserModel } from './model.ts'

/** Nothing of an account is public. */
const saved = { kind: 'save' } as const

interface Props {
  user: UserModel
  language: string | undefined
  onChanged: () => void
}

/** The form with the content of the account, from the blueprint of its role. */
export function UserContent({ user, language, onChanged }: Props) {
  const { user: caller } = useSession()
  const resource = useMemo(() => userResource(user.id, language), [user.id, language])
  // Without a revision, 0 is sent; the server then refuses the save and returns the current one.
  const { content, revision = 0 } = user
  const published = useMemo(() => ({ content, revision }), [content, revision])
  const draft = useDraft(resource, published)
  const isLocked = draft.use(({ lock }) => lock !== undefined)
  if (user.blueprint.tabs.length === 0) return null
  const own = user.id === caller.id
  const canUpdate = user.options['update'] === true || (isLocked && can(caller, own ? 'user.update' : 'users.update'))
  return (
    <Card title={t('users.content')}>
      <Editor
        resource={resource}
        blueprint={user.blueprint}
        draft={draft}
        canUpdate={canUpdate}
        publishing={saved}
        onChanged={onChanged}
      />
    </Card>
  )
}
