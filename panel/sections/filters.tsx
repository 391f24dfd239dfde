import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { SectionOf } from '../editor/content-resource.ts'
import { statusName } from '../pages/status-mark.tsx'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import type { Option } from '../ui/option.ts'
import { Select } from '../ui/select.tsx'
import { isListFiltered, type ListView, states } from './list-view.ts'
import { Views } from './views.tsx'

/** What a list can be filtered by. */
type OfferedFilters = NonNullable<SectionOf<'pages'>['options']['filters']>

interface Props {
  headline: string
  offered: OfferedFilters
  view: ListView
  onView: (view: ListView) => void
}

/** Filters above a list, and the saved views. */
export function ListFilters({ headline, offered, view, onView }: Props) {
  const { statuses, templates, looked } = offered
  const choose = (name: 'status' | 'template' | 'state') => (value: string | null) => {
    const { [name]: _, ...rest } = view
    onView({ ...rest, ...(value !== null && { [name]: value }) })
  }
  return (
    <div className="border-b p-2">
      <div
        role="group"
        aria-label={t('filters.group', { name: headline })}
        className="flex flex-wrap items-center gap-2"
      >
        <Choice>
          <Select
            aria-label={t('pages.status')}
            placeholder={t('filters.status.any')}
            empty
            value={view.status ?? null}
            onChange={choose('status')}
            options={withChosen(
              statuses.map(({ name, label }) => ({ value: name, text: label ?? statusName(name) })),
              view.status,
            )}
          />
        </Choice>
        {(templates.length > 1 || view.template !== undefined) && (
          <Choice>
            <Select
              aria-label={t('pages.template')}
              placeholder={t('filters.template.any')}
              empty
              value={view.template ?? null}
              onChange={choose('template')}
              options={withChosen(
                templates.map(({ name, title }) => ({ value: name, text: title })),
                view.template,
              )}
            />
          </Choice>
        )}
        <Choice>
          <Select
            aria-label={t('filters.state')}
            placeholder={t('filters.state.any')}
            empty
            value={view.state ?? null}
            onChange={choose('state')}
            options={states.map(value => ({
              value,
              text: value === 'mine' ? t('filters.state.mine') : t(`pages.state.${value}`),
            }))}
          />
        </Choice>
        {isListFiltered(view) && (
          <Button size="small" variant="plain" icon={X} onClick={() => onView({})}>
            {t('filters.clear')}
          </Button>
        )}
        <Views place={offered.place} view={view} onView={onView} />
      </div>
      {looked !== undefined && (
        <p role="status" className="px-1 pt-2 text-sm text-muted">
          {t('filters.looked', { count: looked })}
        </p>
      )}
    </div>
  )
}

const Choice = ({ children }: { children: ReactNode }) => (
  <div className="min-w-32 flex-1 *:w-full sm:max-w-52">{children}</div>
)

/** A value that no page has any more, in a link or a saved view, is still shown. */
const withChosen = <Value extends string>(options: Option<Value>[], value: Value | undefined): Option<Value>[] =>
  value === undefined || options.some(option => option.value === value) ? options : [...options, { value, text: value }]
