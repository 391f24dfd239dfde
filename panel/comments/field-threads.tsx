import { type ReactNode, useState } from 'react'
import { t } from '../texts/texts.ts'
import { nameOfPath } from './about.ts'
import { Composer } from './composer.tsx'
import { Mark } from './mark.tsx'
import { isAbout, isOpen } from './queries.ts'
import { Thread } from './thread.tsx'
import type { Comments } from './use-comments.ts'

interface Props {
  comments: Comments
  name: string
  label: string
  values: Readonly<Record<string, unknown>>
  /** What has changed in the field. */
  children: ReactNode
}

/** A field in a list of differences, with its open threads and a button to begin one. */
export function FieldThreads({ comments, name, label, values, children }: Props) {
  const [isWriting, setWriting] = useState(false)
  const threads = comments.threads?.filter(thread => isOpen(thread) && isAbout(thread, name)) ?? []
  const count = threads.reduce((sum, { replies }) => sum + 1 + replies.length, 0)
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <dt className="flex items-center gap-1 text-sm font-medium text-muted">
        {label}
        <Mark
          label={t('comments.on', { label })}
          size="label"
          count={0}
          isPressed={isWriting}
          onClick={() => setWriting(now => !now)}
        />
      </dt>
      <dd>{children}</dd>
      {(threads.length > 0 || isWriting) && (
        <dd className="flex max-w-[34rem] flex-col gap-2 pt-1">
          {threads.length > 0 && (
            <ul aria-label={t('comments.field', { count, label })} className="flex flex-col gap-2">
              {threads.map(thread => (
                <Thread
                  key={thread.first.id}
                  thread={thread}
                  comments={comments}
                  about={
                    thread.first.field === name ? undefined : nameOfPath(thread.first.field, { [name]: label }, values)
                  }
                />
              ))}
            </ul>
          )}
          {isWriting && (
            <Composer
              autoFocus
              name={`${comments.id} ${name}`}
              label={t('comments.on', { label })}
              placeholder={t('comments.text.placeholder')}
              confirm={t('comments.add')}
              onSend={async text => {
                await comments.add(text, name)
                setWriting(false)
              }}
              onCancel={() => setWriting(false)}
            />
          )}
        </dd>
      )}
    </div>
  )
}
