import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../../app/client.ts'
import { sectionsOf, type BlueprintTab } from '../../editor/blueprint.ts'
import type { ContentResource } from '../../editor/content-resource.ts'
import { t } from '../../texts/texts.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Field } from '../../ui/field.tsx'
import { FileX } from 'lucide-react'
import { RadioGroup } from '../../ui/radio-group.tsx'
import { Select } from '../../ui/select.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { toId, toPath } from '../id.ts'
import { markCreated } from '../page.ts'
import { FormDialog } from './form-dialog.tsx'
import { TitleAndSlug } from './title-and-slug.tsx'

interface Props {
  /** Null at the top level. */
  parent: string | null
  /** The owner of the section that defines the available templates. */
  resource?: ContentResource | undefined
  section?: string | undefined
  onClose: () => void
}

type Template = Awaited<ReturnType<typeof client.pages.blueprints>>[number]

/** Creates a page as a draft and opens its screen. */
export function CreatePageDialog({ parent, resource, section, onClose }: Props) {
  const navigate = useNavigate()
  const [value, setValue] = useState({ title: '', slug: '', isSlugEdited: false })
  const [chosen, setChosen] = useState<string | null>(null)
  const { data: templates } = useQuery({
    queryKey: ['blueprints', resource?.link ?? parent ?? '/site', section],
    queryFn: () => templatesFor(resource?.link ?? (parent === null ? '/site' : `/pages/${parent}`), section),
    staleTime: 60_000,
  })
  const template = chosen ?? templates?.[0]?.name ?? null
  const options = (templates ?? []).map(({ name, title }) => ({ value: name, text: title }))

  return (
    <FormDialog
      title={t('pages.create.title')}
      confirm={t('pages.create.confirm')}
      disabled={value.title.trim() === '' || value.slug.trim() === '' || template === null}
      onClose={onClose}
      run={() => {
        const body = { title: value.title, slug: value.slug, template: template! }
        return parent === null ? client.site.children.create(body) : client.pages.children.create({ id: parent }, body)
      }}
      onDone={({ id }) => {
        markCreated(toId(id!))
        return navigate({ to: '/pages/$id', params: { id: toId(id!) } })
      }}
    >
      {errors =>
        !templates ? (
          <Skeleton lines={3} className="h-8" />
        ) : templates.length === 0 ? (
          <EmptyState small icon={FileX} text={t('pages.create.none')} />
        ) : (
          <>
            <TitleAndSlug
              value={value}
              onChange={setValue}
              errors={errors}
              above={parent === null ? '' : `/${toPath(parent)}`}
            />
            {options.length > 1 && (
              <Field label={t('pages.template')} group={options.length <= 5 && 'radiogroup'} error={errors['template']}>
                {options.length <= 5 ? (
                  <RadioGroup value={template} onChange={setChosen} options={options} columns={2} />
                ) : (
                  <Select value={template} onChange={setChosen} options={options} />
                )}
              </Field>
            )}
          </>
        )
      }
    </FormDialog>
  )
}

async function templatesFor(link: string, section: string | undefined): Promise<Template[]> {
  const query = section === undefined ? {} : { section }
  const [, noun, id = ''] = link.split('/')
  if (noun === 'pages') {
    // Without a section, this endpoint returns the templates that the page itself can be changed to.
    if (section !== undefined) return client.pages.blueprints({ id, ...query })
    const { blueprint } = await client.pages.get({ id, select: { blueprint: ['tabs'] } })
    return sectionsWithPages(blueprint.tabs, name => client.pages.blueprints({ id, section: name }))
  }
  if (noun === 'users') return client.users.blueprints({ id, ...query })
  return client.site.blueprints(query)
}

async function sectionsWithPages(
  tabs: readonly BlueprintTab[],
  read: (section: string) => Promise<Template[]>,
): Promise<Template[]> {
  const sections = tabs.flatMap(sectionsOf).filter(({ type }) => type === 'pages')
  const all = (await Promise.all(sections.map(({ name }) => read(name)))).flat()
  return [...new Map(all.map(template => [template.name, template])).values()]
}
