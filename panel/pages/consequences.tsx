import { useQuery } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import { client } from '../app/client.ts'
import { useContentLanguage } from '../app/language.ts'
import { keys } from '../app/query.ts'
import { usePaginated } from '../system/paginated-list.tsx'
import { t } from '../texts/texts.ts'
import { Notice } from '../ui/notice.tsx'
import { backlinksQuery } from '../backlinks/query.ts'
import { type AddressChange, maxLanguages, addressShortener } from './addresses.ts'
import { pageIdOf, type PageModel } from './page.ts'

interface Props {
  page: PageModel
  addresses: readonly AddressChange[] | undefined
}

/** What a new address of a page means for its visitors. Renders nothing if the addresses stay. */
export function NewAddresses({ page, addresses, slugOnly = false }: Props & { slugOnly?: boolean }) {
  const { all, current } = useContentLanguage()
  const below = usePagesBelow(page)
  const { total: links = 0 } = usePaginated(backlinksQuery({ page: pageIdOf(page) }))
  const changed = addresses?.filter(({ before, after }) => before !== after)
  if (!changed || changed.length === 0) return null
  return (
    <Notice tone="info" title={t('pages.effect.title')}>
      <ul className="flex flex-col gap-1">
        <AddressList addresses={changed} hidden={slugOnly ? 0 : all.length - maxLanguages} />
        {slugOnly && all.length > 1 && current?.default && <li>{t('pages.effect.slugs')}</li>}
        {below > 0 && <li>{t('pages.effect.below', { count: below })}</li>}
        {links > 0 && <li>{t('pages.effect.links', { count: links })}</li>}
        <li>{t(page.status === 'draft' ? 'pages.effect.draft' : 'pages.effect.redirected')}</li>
      </ul>
    </Notice>
  )
}

/** The addresses at which visitors no longer find a published page, or the page that they find instead. */
export function GoneAddresses({ addresses, below = 0 }: Pick<Props, 'addresses'> & { below?: number }) {
  const { all } = useContentLanguage()
  if (!addresses) return null
  const isReplaced = addresses.some(({ after }) => after !== undefined)
  return (
    <Notice tone={isReplaced ? 'info' : 'warn'} title={t(isReplaced ? 'pages.effect.replaced' : 'pages.effect.gone')}>
      <ul className="flex flex-col gap-1">
        <AddressList addresses={addresses} hidden={all.length - maxLanguages} />
        {below > 0 && <li>{t('pages.effect.goneBelow', { count: below })}</li>}
      </ul>
    </Notice>
  )
}

function AddressList({ addresses, hidden }: { addresses: readonly AddressChange[]; hidden: number }) {
  const shorten = addressShortener(
    addresses.flatMap(({ before, after }) => [before, ...(after === undefined ? [] : [after])]),
  )
  return (
    <>
      {addresses.map(({ language, before, after }) => (
        <li key={before} className="flex flex-wrap items-baseline gap-x-1.5">
          {language !== undefined && <span className="text-muted">{language}</span>}
          <bdi dir="ltr" className="font-mono">
            {shorten(before)}
          </bdi>
          {after !== undefined && (
            <>
              <ArrowRight
                role="img"
                aria-label={t('pages.effect.becomes')}
                className="size-3.5 self-center rtl:rotate-180"
              />
              <bdi dir="ltr" className="font-mono">
                {shorten(after)}
              </bdi>
            </>
          )}
        </li>
      ))}
      {hidden > 0 && <li>{t('pages.effect.languages', { count: hidden })}</li>}
    </>
  )
}

/** The number of pages directly below a page. */
export function usePagesBelow({ id, hasChildren, hasDrafts }: PageModel): number {
  const { data = 0 } = useQuery({
    queryKey: keys.page(pageIdOf({ id }), 'below'),
    queryFn: async () => {
      const { pagination } = await client.pages.children.list({
        id: pageIdOf({ id }),
        status: 'all',
        limit: 1,
        select: ['id'],
      })
      return pagination.total
    },
    enabled: hasChildren || hasDrafts,
    staleTime: 0,
  })
  return data
}
