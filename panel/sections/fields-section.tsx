import { useCallback } from 'react'
import type { Draft } from '../editor/draft-state.ts'
import type { Content, ContentResource } from '../editor/content-resource.ts'
import { fieldsIn } from '../fields/field.ts'
import { FieldsForm } from '../fields/fields-form.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { SectionFailed } from './section-failed.tsx'
import { useSection } from './use-section.ts'

interface Props {
  resource: ContentResource
  name: string
  draft: Draft
  disabled: boolean
  /** The content language is not the default one. */
  secondary: boolean
}

/** A section with fields of the form. Changes go to the draft. */
export function FieldsSection({ resource, name, draft, disabled, secondary }: Props) {
  const { data, error } = useSection(resource, name, 'fields')
  const { isReady, values, errors, lock, openField } = draft.use()
  const fields = data && fieldsIn(data.fields)
  const change = useCallback(
    (next: Content) => {
      // Pass on only fields of this section: those of others may have changed since the last render.
      const own = Object.entries(next).filter(([field]) => fields && Object.hasOwn(fields, field))
      draft.change(Object.fromEntries(own))
    },
    [draft, fields],
  )
  if (error) return <SectionFailed error={error} />
  if (!fields || !isReady) return <FieldsSkeleton />
  return (
    <FieldsForm
      fields={fields}
      value={values}
      onChange={change}
      errors={errors}
      disabled={disabled || lock !== undefined}
      openField={lock ? openField : undefined}
      language={resource.language}
      secondary={secondary}
      model={resource.link}
    />
  )
}

function FieldsSkeleton() {
  return (
    <div className="flex flex-col gap-6">
      {[1, 2, 3].map(row => (
        <div key={row} className="flex flex-col gap-2">
          <Skeleton className="h-4 w-24" />
          <Skeleton className="h-8" />
        </div>
      ))}
    </div>
  )
}
