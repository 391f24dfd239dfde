import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { errorText, fieldErrors, labelledErrors } from '../../app/errors.ts'
import { SubmitDialog } from '../../app/submit-dialog.tsx'
import { flushDrafts } from '../../editor/open-drafts.ts'
import { Notice } from '../../ui/notice.tsx'
import { refreshPages } from '../page-query.ts'

interface Props<Result> {
  title: string
  description?: string | undefined
  /** Label of the submit button. */
  confirm: string
  disabled?: boolean | undefined
  onClose: () => void
  run: () => Promise<Result>
  /** Called before the queries that list pages are invalidated. */
  onDone?: ((result: Result) => void | Promise<void>) | undefined
  /** Receives the errors of the fields. */
  children: (errors: Readonly<Record<string, string>>) => ReactNode
}

/** A dialog that changes one property of a page, and shows errors at the fields. */
export function FormDialog<Result>({
  title,
  description,
  confirm,
  disabled,
  onClose,
  run,
  onDone,
  children,
}: Props<Result>) {
  const queryClient = useQueryClient()
  const [done, setDone] = useState(false)
  const { mutate, isPending, error } = useMutation({
    meta: { handlesError: true },
    mutationFn: async () => {
      await flushDrafts()
      return run()
    },
    onSuccess: async result => {
      setDone(true)
      await onDone?.(result)
      onClose()
      void refreshPages(queryClient)
    },
  })
  const errors = fieldErrors(error)
  return (
    <SubmitDialog
      disablePointerDismissal
      title={title}
      description={description}
      onClose={onClose}
      onSubmit={() => {
        if (disabled !== true && !isPending && !done) mutate()
      }}
      confirm={confirm}
      busy={isPending}
      disabled={disabled}
    >
      {error && (
        <Notice live tone="danger" title={errorText(error)}>
          {Object.keys(errors).length > 0 && (
            <ul className="list-disc ps-5">
              {labelledErrors(error).map(text => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          )}
        </Notice>
      )}
      {children(errors)}
    </SubmitDialog>
  )
}
