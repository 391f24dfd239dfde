import { useQuery } from '@tanstack/react-query'
import { FolderTree, X } from 'lucide-react'
import { useState } from 'react'
import { useContentLanguage } from '../app/language.ts'
import { useSession } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Select } from '../ui/select.tsx'
import { type LibraryFilter, orders, type LibraryPeriod, libraryPeriods, sitePlace, types } from './filter.ts'
import { PlaceDialog } from './place-dialog.tsx'
import { placeQuery } from './queries.ts'

interface Props {
  filter: LibraryFilter
  onChange: (change: { [Name in keyof LibraryFilter]: LibraryFilter[Name] | undefined }) => void
}

const truth = ['false', 'true'] as const

/** By kind, place, use, description and date, and the order. */
export function LibraryFilters({ filter, onChange }: Props) {
  return (
    <div
      role="group"
      aria-label={t('library.filters')}
      className="grid grid-cols-2 gap-2 sm:grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))]"
    >
      <Select
        aria-label={t('library.type')}
        empty
        placeholder={t('library.type.all')}
        value={filter.type ?? null}
        onChange={type => onChange({ type: type ?? undefined })}
        options={types.map(value => ({ value, text: t(`library.type.${value}`) }))}
      />
      <Place filter={filter} onChange={onChange} />
      <Select
        aria-label={t('library.used')}
        empty
        placeholder={t('library.used.all')}
        value={filter.used ?? null}
        onChange={used => onChange({ used: used ?? undefined })}
        options={truth.map(value => ({ value, text: t(`library.used.${value}`) }))}
      />
      <Select
        aria-label={t('library.described')}
        empty
        placeholder={t('library.described.all')}
        value={filter.described ?? null}
        onChange={described => onChange({ described: described ?? undefined })}
        options={truth.map(value => ({ value, text: t(`library.described.${value}`) }))}
      />
      <Select
        aria-label={t('library.since')}
        empty
        placeholder={t('library.since.all')}
        value={filter.since ?? null}
        onChange={since => onChange({ since: since ?? undefined })}
        options={(Object.keys(libraryPeriods) as LibraryPeriod[]).map(value => ({
          value,
          text: t(`library.since.${value}`),
        }))}
      />
      <Select
        aria-label={t('library.sort')}
        value={filter.sort ?? 'modified desc'}
        onChange={sort => onChange({ sort: sort === 'modified desc' ? undefined : (sort ?? undefined) })}
        options={orders.map(value => ({ value, text: t(`library.sort.${value.replace(' ', '.') as 'name.asc'}`) }))}
      />
    </div>
  )
}

function Place({ filter: { place, below }, onChange }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [isBelow, setBelow] = useState(true)
  const { system } = useSession()
  const { code: language } = useContentLanguage()
  const { data: title = place } = useQuery(placeQuery(place, language))
  const name = place === sitePlace ? system.title : title
  return (
    <div className="flex min-w-0 items-center">
      <Button
        icon={FolderTree}
        onClick={() => {
          setBelow(place === undefined || below === true)
          setOpen(true)
        }}
        className="min-w-0 flex-1 justify-start"
      >
        <span className="truncate">{place === undefined ? t('library.place.all') : name}</span>
      </Button>
      {place !== undefined && (
        <IconButton
          icon={X}
          label={t('library.place.clear')}
          onClick={() => onChange({ place: undefined, below: undefined })}
        />
      )}
      {isOpen && (
        <PlaceDialog
          title={t('library.place.title')}
          confirm={t('library.place.show')}
          value={place === sitePlace ? '' : place}
          onClose={() => setOpen(false)}
          onChoose={chosen => {
            setOpen(false)
            onChange({ place: chosen || sitePlace, below: isBelow && chosen !== '' ? true : undefined })
          }}
        >
          <Checkbox label={t('library.place.below')} value={isBelow} onChange={setBelow} />
        </PlaceDialog>
      )}
    </div>
  )
}
