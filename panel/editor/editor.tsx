import { useQueryClient } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { presentUsers } from '../activity/presence.ts'
import { useContentLanguage } from '../app/language.ts'
import { FallbacksContext } from '../fields/form-contexts.ts'
import { t } from '../texts/texts.ts'
import { Notice } from '../ui/notice.tsx'
import { type Blueprint, labelsOf } from './blueprint.ts'
import { type AskForReview, ChangesBar, type Publishing } from './changes-bar.tsx'
import type { Draft } from './draft-state.ts'
import { useFallbacks } from './fallbacks.ts'
import { WordCount } from './figures.tsx'
import { Form } from './form.tsx'
import type { ContentResource } from './content-resource.ts'
import { useDefinitions } from './use-definitions.ts'

/** Lazy, because they are needed only for some pages. */
const AskedNotice = lazy(async () => ({ default: (await import('./asked-notice.tsx')).AskedNotice }))
const LockNotice = lazy(async () => ({ default: (await import('./lock-notice.tsx')).LockNotice }))
const TranslationNotice = lazy(async () => ({ default: (await import('./translation-notice.tsx')).TranslationNotice }))
/** Lazy, because it is rarely needed and loads the code that compares texts. */
const ConflictDialog = lazy(async () => ({ default: (await import('./conflict-dialog.tsx')).ConflictDialog }))

interface Props {
  resource: ContentResource
  blueprint: Blueprint
  draft: Draft
  /** Whether the role and the blueprint allow editing. Edit locks are checked in this component. */
  canUpdate: boolean
  /** What becomes of the changes; by default they are published. */
  publishing?: Publishing | undefined
  /** Opens the schedule dialog. Undefined where publication cannot be scheduled. */
  onSchedule?: (() => void) | undefined
  review?: AskForReview | undefined
  /** The path of a field to focus. */
  focus?: readonly string[] | undefined
  /** The published content or the lock has changed: the caller should read it again. */
  onChanged: () => void
}

const published: Publishing = { kind: 'publish' }

/** The form of a resource, with notices about edit locks, unpublished changes and missing translations. */
export function Editor({
  resource,
  blueprint,
  draft,
  canUpdate,
  publishing = published,
  onSchedule,
  review,
  focus,
  onChanged,
}: Props) {
  const queryClient = useQueryClient()
  const { current } = useContentLanguage()
  const labels = useMemo(() => ({ title: t('pages.title'), ...labelsOf(blueprint) }), [blueprint])
  const definitions = useDefinitions(resource, blueprint)
  const conflict = draft.use(state => state.conflict)
  const isLocked = draft.use(({ lock }) => lock !== undefined)
  const hasChanges = draft.use(state => state.changed.length > 0)
  const isAsked = presentUsers.use().some(({ page, says }) => says === 'ask' && page?.link === resource.link)
  const [postponedConflict, setPostponedConflict] = useState<typeof conflict>()
  const [errorFocusCount, setErrorFocusCount] = useState(0)
  const secondary = current !== undefined && !current.default
  const fallbacks = useFallbacks(resource, draft)

  function changed() {
    // Sections may show values that have changed.
    void queryClient.invalidateQueries({ queryKey: ['sections', resource.key] })
    void queryClient.invalidateQueries({ queryKey: ['history', resource.key] })
    onChanged()
  }

  return (
    <>
      <Suspense>
        {isLocked && <LockNotice draft={draft} link={resource.link} onTaken={changed} />}
        {isAsked && hasChanges && !isLocked && <AskedNotice draft={draft} link={resource.link} />}
      </Suspense>
      {!canUpdate && !isLocked && (
        <div className="pb-5">
          <Notice icon={Eye}>{t('editor.readOnly')}</Notice>
        </div>
      )}
      <Suspense>
        {secondary && (
          <TranslationNotice
            resource={resource}
            blueprint={blueprint}
            draft={draft}
            onTaken={fallbacks && canUpdate && publishing.kind !== 'keep' ? changed : undefined}
          />
        )}
      </Suspense>
      <FallbacksContext value={fallbacks}>
        <Form
          resource={resource}
          blueprint={blueprint}
          draft={draft}
          disabled={!canUpdate}
          secondary={secondary}
          errorFocusCount={errorFocusCount}
          focus={focus}
        />
      </FallbacksContext>
      <WordCount draft={draft} blueprint={blueprint} />
      <ChangesBar
        draft={draft}
        labels={labels}
        publishing={publishing}
        onPublished={changed}
        onSchedule={onSchedule}
        review={review}
        onResolveConflict={() => setPostponedConflict(undefined)}
        onFocusError={() => setErrorFocusCount(now => now + 1)}
      />
      <Suspense>
        {conflict && conflict !== postponedConflict && (
          <ConflictDialog
            draft={draft}
            definitions={definitions}
            labels={labels}
            onLater={() => setPostponedConflict(conflict)}
          />
        )}
      </Suspense>
    </>
  )
}
