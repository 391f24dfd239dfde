import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { FileQuestion } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { iconOf } from '../app/icons.ts'
import { isFieldShown } from '../fields/conditions.ts'
import type { FieldErrors } from '../fields/field-errors.ts'
import { Section } from '../sections/section.tsx'
import { sectionKey } from '../sections/use-section.ts'
import { t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Column, Columns } from '../ui/columns.tsx'
import { cx } from '../ui/cx.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { type Blueprint, columnsOf, namesIn, sectionsOf, type BlueprintTab } from './blueprint.ts'
import type { Draft } from './draft-state.ts'
import { focusField, focusFirstError } from './focus-field.ts'
import type { ContentResource } from './content-resource.ts'

interface Props {
  resource: ContentResource
  blueprint: Blueprint
  draft: Draft
  disabled: boolean
  secondary: boolean
  /** Changing this number focuses the first field with an error. */
  errorFocusCount: number
  /** The path of a field to focus. A new list focuses it again. */
  focus?: readonly string[] | undefined
}

/** The last open tab by blueprint, so that the next page with the same blueprint opens at the same tab. */
const lastTabs = new Map<string, string>()

/** The form of a blueprint: tabs, columns and sections. */
export function Form({ resource, blueprint, draft, disabled, secondary, errorFocusCount, focus }: Props) {
  const { tabs, name: blueprintName } = blueprint
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { tab: tabInUrl } = useSearch({ strict: false })
  const [chosen, setChosen] = useState(() => tabInUrl ?? lastTabs.get(blueprintName))
  // The user followed a link to another tab of the same form.
  const [lastTabInUrl, setLastTabInUrl] = useState(tabInUrl)
  if (tabInUrl !== lastTabInUrl) {
    setLastTabInUrl(tabInUrl)
    if (tabInUrl !== undefined) setChosen(tabInUrl)
  }
  const changed = draft.use(state => state.changed)
  const errors = draft.use(state => state.errors)
  const tab = tabs.find(({ name }) => name === chosen) ?? tabs[0]

  // Only on request: the focus must not move while the user types.
  const lastErrorFocusCount = useRef(errorFocusCount)
  useEffect(() => {
    if (errorFocusCount === lastErrorFocusCount.current) return
    lastErrorFocusCount.current = errorFocusCount
    const invalidFields = Object.keys(draft.get().errors)
    const hasError = (candidate: BlueprintTab) => namesIn(candidate).some(name => invalidFields.includes(name))
    const first = [...tabs.filter(candidate => candidate === tab), ...tabs].find(hasError)
    if (first && first !== tab) choose(first.name)
    focusFirstError()
  })

  const focused = useRef(focus)
  useEffect(() => {
    if (!focus || focus === focused.current) return
    focused.current = focus
    const [name = ''] = focus
    const tabOfField = tabs.find(candidate => namesIn(candidate).includes(name))
    if (tabOfField && tabOfField !== tab) choose(tabOfField.name)
    focusField(focus)
  })

  if (!tab) return <EmptyState icon={FileQuestion} text={t('editor.form.empty')} />
  const columns = (
    <TabColumns key={tab.name} tab={tab} resource={resource} draft={draft} disabled={disabled} secondary={secondary} />
  )
  if (tabs.length === 1) return columns
  return (
    <div
      onPointerOver={event => {
        const near = (event.target as Element).closest('[role=tab]')
        const index = near ? [...near.parentElement!.querySelectorAll('[role=tab]')].indexOf(near) : -1
        if (index >= 0) prefetch(tabs[index]!)
      }}
    >
      <Tabs
        label={t('editor.tabs')}
        value={tab.name}
        onChange={choose}
        tabs={tabs.map(item => ({
          value: item.name,
          text: item.label,
          icon: iconOf(item.icon),
          badge: badgeOf(namesIn(item), changed, errors),
        }))}
      >
        {columns}
      </Tabs>
    </div>
  )

  /** The open tab is in the URL, so that it survives a reload and can be shared. */
  function choose(name: string) {
    lastTabs.set(blueprintName, name)
    setChosen(name)
    void navigate({ to: '.', search: before => ({ ...before, tab: name }), replace: true, resetScroll: false })
  }

  function prefetch(near: BlueprintTab) {
    for (const { name } of sectionsOf(near))
      void queryClient.prefetchQuery({
        queryKey: sectionKey(resource, name, 1, ''),
        queryFn: () => resource.section(name, { page: 1 }),
      })
  }
}

/** Number of errors or changes in a tab, because the user may be in another one. */
function badgeOf(names: readonly string[], changed: readonly string[], errors: FieldErrors) {
  const errorCount = names.filter(name => Object.hasOwn(errors, name)).length
  if (errorCount > 0) return <Badge tone="danger">{t('editor.tab.wrong', { count: errorCount })}</Badge>
  const count = names.filter(name => changed.includes(name)).length
  return count > 0 ? <Badge tone="accent">{t('editor.tab.changed', { count })}</Badge> : undefined
}

function TabColumns({
  tab,
  resource,
  draft,
  disabled,
  secondary,
}: Omit<Props, 'blueprint' | 'errorFocusCount' | 'focus'> & { tab: BlueprintTab }) {
  // Selects only the names of hidden sections, so that typing does not render the columns again.
  const hidden = draft
    .use(({ values }) =>
      sectionsOf(tab)
        .filter(({ when }) => !isFieldShown({ type: 'section', when: when ?? null }, values))
        .map(({ name }) => name)
        .join('\n'),
    )
    .split('\n')
  return (
    <Columns gap="wide">
      {columnsOf(tab).map((column, index) => (
        <Column key={index} width={column.width}>
          <div className={cx('flex flex-col gap-8', column.sticky && 'lg:sticky lg:top-18')}>
            {Object.entries(column.sections)
              .filter(([name]) => !hidden.includes(name))
              .map(([name, section]) => (
                <Section
                  key={name}
                  section={{ ...section, name }}
                  resource={resource}
                  draft={draft}
                  disabled={disabled}
                  secondary={secondary}
                />
              ))}
          </div>
        </Column>
      ))}
    </Columns>
  )
}
