import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import {
  Activity, ArrowUpDown, Clock, Copy, Ellipsis, FolderInput, History, Images, LayoutTemplate, Link2, ListTree, Plus, Rocket, Share2, Trash2,
} from 'lucide-react' // prettier-ignore
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { PeopleOnPage } from '../activity/people-here.tsx'
import { openPage, useTitleAndBreadcrumb } from '../app/title.ts'
import { useContentLanguage } from '../app/language.ts'
import { keys } from '../app/query.ts'
import { usePreviewUrl } from '../app/preview.ts'
import { can, type Permission, useSession } from '../app/session.ts'
import { ErrorScreen } from '../app/shell/states.tsx'
import { labelsOf, sectionsOf } from '../editor/blueprint.ts'
import { Editor } from '../editor/editor.tsx'
import { EditableTitle } from '../editor/editable-title.tsx'
import { EditorSkeleton } from '../editor/editor-skeleton.tsx'
import { focusFirstField } from '../editor/focus-field.ts'
import { pageResource } from '../editor/content-resource.ts'
import { Outline } from '../editor/figures.tsx'
import { TranslationsMenu } from '../editor/translations-menu.tsx'
import { useDraft } from '../editor/use-draft.ts'
import { type FieldMarks, FieldMarksContext } from '../fields/form-contexts.ts'
import { filesLink } from '../files/link.tsx'
import { pagePreview } from '../preview/source.ts'
import { PreviewButton, PreviewSplit } from '../preview/split.tsx'
import { useFieldFocus } from '../preview/use-field-focus.ts'
import { addRecent } from '../search/recent.ts'
import { usePaletteActions } from '../search/palette-actions.ts'
import { formatDate, t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import type { Icon } from '../ui/icon.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import type { PageAction } from './dialogs/dialog.tsx'
import { parentId, toId, toPath } from './id.ts'
import { canChangeNow, canPublish, type PageModel, takeCreated } from './page.ts'
import { pageQuery, refreshPages } from './page-query.ts'
import { Siblings } from './siblings.tsx'
import { useScheduled } from './scheduled.ts'
import { StatusButton } from './status-button.tsx'
import { usePublishing } from './use-publishing.ts'

/** Lazy, because these are rarely opened. */
const CreatePageDialog = lazy(async () => ({ default: (await import('./dialogs/create.tsx')).CreatePageDialog }))
const PageHistory = lazy(async () => ({ default: (await import('./history.tsx')).PageHistory }))
const PageDialog = lazy(async () => ({ default: (await import('./dialogs/dialog.tsx')).PageDialog }))
const AskDialog = lazy(async () => ({ default: (await import('../review/ask-dialog.tsx')).AskDialog }))
const ReviewNotice = lazy(async () => ({ default: (await import('../review/review-notice.tsx')).ReviewNotice }))
const AddToReleaseDialog = lazy(async () => ({
  default: (await import('../releases/add-dialog.tsx')).AddToReleaseDialog,
}))
const ReleaseBadge = lazy(async () => ({ default: (await import('../releases/release-badge.tsx')).ReleaseBadge }))
const PageComments = lazy(async () => ({ default: (await import('../comments/page-comments.tsx')).PageComments }))
const ShareDialog = lazy(async () => ({ default: (await import('../preview/share-dialog.tsx')).ShareDialog }))
const TreeDrawer = lazy(async () => ({ default: (await import('./tree/tree-drawer.tsx')).TreeDrawer }))

export function PageScreen() {
  const { id } = useParams({ from: '/pages/$id' })
  const { code } = useContentLanguage()
  const { data, error } = useQuery(pageQuery(id, code))
  useScheduled(data)
  const [isTreeOpen, setTreeOpen] = useState(false)
  return (
    <>
      {/* The key gives every page its own form, so that no state carries over. */}
      {data ? (
        <Page key={`${id} ${code ?? ''}`} id={id} page={data} language={code} onTree={() => setTreeOpen(true)} />
      ) : error ? (
        <ErrorScreen error={error} />
      ) : (
        <>
          <h1 className="sr-only">{t('pages.loading')}</h1>
          <EditorSkeleton />
        </>
      )}
      {/* Stays open while pages are moved, even if the current page moves. */}
      <Suspense>{isTreeOpen && <TreeDrawer selected={toPath(id)} onClose={() => setTreeOpen(false)} />}</Suspense>
    </>
  )
}

type OpenDialog = PageAction | 'history' | 'activity' | 'create' | 'review' | 'share' | 'release'

interface Props {
  id: string
  page: PageModel
  language: string | undefined
  onTree: () => void
}

function Page({ id, page, language, onTree }: Props) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { user } = useSession()
  const { comment } = useSearch({ strict: false })
  const [dialog, setDialog] = useState<OpenDialog>()
  const [marks, setMarks] = useState<FieldMarks>()
  const resource = useMemo(() => pageResource(id, language), [id, language])
  const draft = useDraft(resource, page)
  const isLocked = draft.use(({ lock }) => lock !== undefined)
  const isTitleOpen = draft.use(({ openField }) => openField === 'title')
  const isReady = draft.use(state => state.isReady)
  const labels = useMemo(() => ({ title: t('pages.title'), ...labelsOf(page.blueprint) }), [page.blueprint])
  const { title, options, parents, status, uuid } = page
  const hasPreview = usePreviewUrl(page.previewUrl) !== undefined
  const preview = useMemo(
    () => (hasPreview ? pagePreview(id, uuid, language) : undefined),
    [hasPreview, id, uuid, language],
  )
  const [focus, showField] = useFieldFocus(uuid)
  const may = (action: string) => options[action] === true
  const isChangedNow = canChangeNow(page)
  const publishing = usePublishing(page, draft, language)
  const close = () => setDialog(undefined)
  const read = () => queryClient.invalidateQueries({ queryKey: keys.page(id) })
  const asks = publishing.kind === 'keep' || (publishing.kind === 'draft' && publishing.choices.length === 0)
  const canUpdate = may('update') || (isLocked && can(user, 'pages.update'))

  useTitleAndBreadcrumb(title, [
    { text: t('nav.site'), render: <Link to="/site" /> },
    ...parents.map(parent => ({
      text: parent.title,
      render: <Link to="/pages/$id" params={{ id: toId(parent.id) }} />,
    })),
    { text: title },
  ])
  // Not before the form is there: on a slow connection it is loaded first.
  useEffect(() => {
    if (!isReady) return undefined
    openPage.set(id)
    return () => openPage.set(null)
  }, [id, isReady])
  useEffect(() => {
    if (takeCreated(id)) focusFirstField()
  }, [id])
  useEffect(() => addRecent({ link: `/pages/${id}`, title, kind: 'page', uuid }), [id, title, uuid])

  /** Actions that the role never permits are hidden; those that this page does not permit are disabled. */
  const item = (action: OpenDialog, text: string, icon: Icon, right: Permission, isPossible: boolean, danger = false) =>
    can(user, right) && {
      text,
      icon,
      danger,
      disabled: !isPossible,
      info: isPossible ? undefined : t('pages.impossible'),
      onSelect: () => setDialog(action),
    }
  const hasPages = page.blueprint.tabs.flatMap(sectionsOf).some(({ type }) => type === 'pages')
  const items = [
    item('slug', t('pages.slug.change'), Link2, 'pages.changeSlug', may('changeSlug')),
    page.blueprints.length > 1 &&
      item(
        'template',
        t('pages.template.change'),
        LayoutTemplate,
        'pages.changeTemplate',
        may('changeTemplate') && isChangedNow,
      ),
    page.isSortable && item('position', t('pages.position.change'), ArrowUpDown, 'pages.sort', true),
    item('duplicate', t('pages.duplicate.do'), Copy, 'pages.duplicate', may('duplicate')),
    item('move', t('pages.move.do'), FolderInput, 'pages.move', may('move')),
    hasPages && item('create', t('pages.create.below'), Plus, 'pages.create', true),
    item('release', t('releases.add'), Rocket, 'pages.update', canUpdate),
    preview !== undefined && item('share', t('preview.share'), Share2, 'pages.preview', true),
    item('history', t('editor.history'), History, 'pages.update', canUpdate),
    item('activity', t('activity.page'), Activity, 'pages.read', true),
    item('delete', t('pages.delete.do'), Trash2, 'pages.delete', may('delete'), true),
  ].filter(entry => entry !== false)
  const files = { text: t('files.title'), icon: Images, render: filesLink({ kind: 'page', id }) }
  const listed = [...(can(user, 'files.list') ? [files] : []), ...withSeparators(items)]
  usePaletteActions([
    ...(may('changeStatus') && canPublish(page)
      ? [{ text: t('pages.status.change'), subject: title, run: () => setDialog('status') }]
      : []),
    ...(can(user, 'files.list')
      ? [{ ...files, subject: title, run: () => void navigate({ to: '/pages/$id/files', params: { id } }) }]
      : []),
    ...items.flatMap(({ text, icon, disabled, onSelect }) =>
      disabled ? [] : [{ text, icon, subject: title, run: onSelect }],
    ),
  ])

  return (
    <>
      <PageHeader
        title={
          <EditableTitle
            draft={draft}
            title={title}
            disabled={!isTitleOpen && (!canUpdate || isLocked || !may('changeTitle'))}
          />
        }
        badges={
          <>
            <StatusButton page={page} onSelect={() => setDialog('status')} />
            {page.schedule && (
              <Badge icon={Clock} tone={page.schedule.problem === null ? 'info' : 'warn'}>
                {t(page.schedule.problem === null ? 'pages.schedule.for' : 'pages.schedule.missed', {
                  time: formatDate(page.schedule.at),
                })}
              </Badge>
            )}
            <Suspense>{page.release && <ReleaseBadge release={page.release} />}</Suspense>
            <PeopleOnPage uuid={uuid} />
          </>
        }
        actions={
          <>
            {canUpdate && <TranslationsMenu resource={resource} draft={draft} blueprint={page.blueprint} />}
            <Outline draft={draft} blueprint={page.blueprint} />
            <IconButton icon={ListTree} label={t('pages.tree')} onClick={onTree} />
            {(canUpdate || comment !== undefined) && (
              <span className="min-w-8">
                <Suspense>
                  {isReady && (
                    <PageComments
                      id={id}
                      labels={labels}
                      draft={draft}
                      canPublish={canPublish(page)}
                      onMarks={setMarks}
                      onField={path => showField(`${uuid}#${path}`)}
                    />
                  )}
                </Suspense>
              </span>
            )}
            <Siblings page={page} language={language} />
            {preview && <PreviewButton />}
            {listed.length > 0 && (
              <Menu
                trigger={<IconButton variant="quiet" icon={Ellipsis} label={t('pages.actions')} />}
                items={listed}
              />
            )}
          </>
        }
      />
      <Suspense>
        {page.review && (
          <ReviewNotice
            id={id}
            page={page}
            review={page.review}
            resource={resource}
            draft={draft}
            publishing={publishing}
          />
        )}
      </Suspense>
      <PreviewSplit source={preview} title={title} draft={draft} onField={showField}>
        <FieldMarksContext value={marks}>
          <Editor
            resource={resource}
            blueprint={page.blueprint}
            draft={draft}
            canUpdate={canUpdate}
            publishing={publishing}
            onSchedule={may('changeStatus') && canPublish(page) ? () => setDialog('schedule') : undefined}
            review={
              asks && canUpdate
                ? { ask: () => setDialog('review'), isWaiting: page.review?.state === 'waiting' }
                : undefined
            }
            focus={focus}
            onChanged={() => void (status === 'draft' ? refreshPages(queryClient) : read())}
          />
        </FieldMarksContext>
      </PreviewSplit>
      <Suspense>
        {dialog === 'create' && <CreatePageDialog parent={id} onClose={close} />}
        {(dialog === 'history' || dialog === 'activity') && (
          <PageHistory
            uuid={uuid}
            tab={dialog}
            canUpdate={canUpdate}
            resource={resource}
            blueprint={page.blueprint}
            status={status}
            labels={labels}
            canRestore={may('update')}
            onClose={close}
          />
        )}
        {dialog === 'review' && <AskDialog id={id} language={language} draft={draft} onClose={close} />}
        {dialog === 'share' && <ShareDialog id={id} title={title} onClose={close} />}
        {dialog === 'release' && (
          <AddToReleaseDialog uuid={uuid} title={title} page={page} canDelete={may('delete')} onClose={close} />
        )}
        {dialog &&
          dialog !== 'create' &&
          dialog !== 'history' &&
          dialog !== 'activity' &&
          dialog !== 'review' &&
          dialog !== 'share' &&
          dialog !== 'release' && (
            <PageDialog action={dialog} id={id} language={language} onClose={close} onMoved={now => void moved(now)} />
          )}
      </Suspense>
    </>
  )

  async function moved(now: string | null) {
    const above = parentId(id)
    if (now !== null) await navigate({ to: '/pages/$id', params: { id: now }, replace: true })
    else if (above !== undefined) await navigate({ to: '/pages/$id', params: { id: above }, replace: true })
    else await navigate({ to: '/site', replace: true })
  }
}

/** Inserts a separator before destructive actions. */
function withSeparators<Item extends { danger: boolean }>(items: readonly Item[]): (Item | 'line')[] {
  return items.flatMap((item, index) => (item.danger && index > 0 ? ['line' as const, item] : [item]))
}
