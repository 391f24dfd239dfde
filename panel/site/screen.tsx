import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CornerUpRight, Ellipsis, History, Images, ListTree, Plus, Rocket } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { client } from '../app/client.ts'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { useContentLanguage } from '../app/language.ts'
import { keys } from '../app/query.ts'
import { usePreviewUrl } from '../app/preview.ts'
import { can, loadSession, useSession } from '../app/session.ts'
import { ErrorScreen } from '../app/shell/states.tsx'
import { labelsOf } from '../editor/blueprint.ts'
import { EditableTitle } from '../editor/editable-title.tsx'
import { Editor } from '../editor/editor.tsx'
import { EditorSkeleton } from '../editor/editor-skeleton.tsx'
import { siteResource } from '../editor/content-resource.ts'
import { TranslationsMenu } from '../editor/translations-menu.tsx'
import { useDraft } from '../editor/use-draft.ts'
import { sitePreview } from '../preview/source.ts'
import { PreviewButton, PreviewSplit } from '../preview/split.tsx'
import { useFieldFocus } from '../preview/use-field-focus.ts'
import { usePaletteActions } from '../search/palette-actions.ts'
import { filesLink } from '../files/link.tsx'
import { t } from '../texts/texts.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { PageHeader } from '../ui/page-header.tsx'

/** Lazy, because these are rarely opened. */
const CreatePageDialog = lazy(async () => ({ default: (await import('../pages/dialogs/create.tsx')).CreatePageDialog }))
const AddToReleaseDialog = lazy(async () => ({
  default: (await import('../releases/add-dialog.tsx')).AddToReleaseDialog,
}))
const HistoryDrawer = lazy(async () => ({ default: (await import('../editor/history-drawer.tsx')).HistoryDrawer }))
const TreeDrawer = lazy(async () => ({ default: (await import('../pages/tree/tree-drawer.tsx')).TreeDrawer }))

const select = {
  blueprint: ['name', 'tabs', 'title'], content: '', options: '', previewUrl: '', revision: '', title: '',
} as const // prettier-ignore

const readSite = (language: string | undefined) => client.site.get({ language, select })

type SiteModel = Awaited<ReturnType<typeof readSite>>

export function SiteScreen() {
  const { code } = useContentLanguage()
  const { data, error } = useQuery({
    queryKey: [...keys.site, 'whole', code],
    queryFn: () => readSite(code),
    staleTime: 5_000,
  })
  if (!data && error) return <ErrorScreen error={error} />
  if (!data)
    return (
      <>
        <h1 className="sr-only">{t('nav.site')}</h1>
        <EditorSkeleton />
      </>
    )
  return <Site key={code ?? ''} site={data} language={code} />
}

function Site({ site, language }: { site: SiteModel; language: string | undefined }) {
  const queryClient = useQueryClient()
  const { user } = useSession()
  const [opened, setOpened] = useState<'history' | 'tree' | 'create' | 'release'>()
  const resource = useMemo(() => siteResource(language), [language])
  const draft = useDraft(resource, site)
  const isLocked = draft.use(({ lock }) => lock !== undefined)
  const isTitleOpen = draft.use(({ openField }) => openField === 'title')
  const labels = useMemo(() => labelsOf(site.blueprint), [site.blueprint])
  const { title, options } = site
  const hasPreview = usePreviewUrl(site.previewUrl) !== undefined
  const preview = useMemo(() => (hasPreview ? sitePreview(language) : undefined), [hasPreview, language])
  const [focus, showField] = useFieldFocus('site://')
  const canUpdate = options['update'] === true || (isLocked && can(user, 'site.update'))
  const close = () => setOpened(undefined)
  const read = () => queryClient.invalidateQueries({ queryKey: keys.site })
  useTitleAndBreadcrumb(t('nav.site'), [{ text: t('nav.site') }])

  const items = [
    can(user, 'pages.create') && { text: t('pages.create.do'), icon: Plus, onSelect: () => setOpened('create') },
    canUpdate &&
      can(user, 'pages.update') && { text: t('releases.add'), icon: Rocket, onSelect: () => setOpened('release') },
    canUpdate && { text: t('editor.history'), icon: History, onSelect: () => setOpened('history') },
  ].filter(item => item !== false)
  usePaletteActions(items.map(({ onSelect, ...item }) => ({ ...item, subject: title, run: onSelect })))

  return (
    <>
      <PageHeader
        title={
          <EditableTitle
            draft={draft}
            title={title}
            disabled={!isTitleOpen && (!canUpdate || isLocked || options['changeTitle'] !== true)}
          />
        }
        actions={
          <>
            {canUpdate && <TranslationsMenu resource={resource} draft={draft} blueprint={site.blueprint} />}
            <IconButton icon={ListTree} label={t('pages.tree')} onClick={() => setOpened('tree')} />
            {preview && <PreviewButton />}
            <Menu
              trigger={<IconButton variant="quiet" icon={Ellipsis} label={t('site.actions')} />}
              items={[
                ...items,
                { text: t('site.files'), icon: Images, render: filesLink({ kind: 'site' }) },
                can(user, 'site.update') && {
                  text: t('redirects.title'),
                  icon: CornerUpRight,
                  render: <Link to="/site/redirects" />,
                },
              ]}
            />
          </>
        }
      />
      <PreviewSplit source={preview} title={title} draft={draft} onField={showField}>
        <Editor
          resource={resource}
          blueprint={site.blueprint}
          draft={draft}
          canUpdate={canUpdate}
          focus={focus}
          onChanged={() => {
            void read()
            // The shell shows the title, too.
            if (draft.get().values['title'] !== title) void loadSession()
          }}
        />
      </PreviewSplit>
      <Suspense>
        {opened === 'tree' && <TreeDrawer onClose={close} />}
        {opened === 'release' && <AddToReleaseDialog uuid="site://" title={title} onClose={close} />}
        {opened === 'create' && <CreatePageDialog parent={null} onClose={close} />}
        {opened === 'history' && (
          <HistoryDrawer
            resource={resource}
            blueprint={site.blueprint}
            labels={{ title: t('pages.title'), ...labels }}
            canRestore={options['update'] === true}
            onClose={close}
          />
        )}
      </Suspense>
    </>
  )
}
