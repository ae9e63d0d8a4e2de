import { type FlagView, UpdateFlag } from '@atrium/core/flags/flags'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { Stack } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { NoteField } from './flag-fields.tsx'
import {
  changesFlag,
  type FlagForm,
  fieldOf,
  toFlagForm,
  toUpdateFlag,
  validateFlag,
} from './flag-form.ts'
import { useUpdateFlag } from './mutations.ts'

const t = translations('operator.flags')

interface Props {
  flag: FlagView
  /** Some fields of a flag; the editor adds the note. */
  children: (form: UseFormReturnType<FlagForm>) => ReactNode
  submitLabel: string
  onClose: () => void
}

/**
 * A part of a flag as a form. It saves against the version it was opened with, so that it never
 * overwrites someone else's change.
 */
export function FlagEditor({ flag: current, children, submitLabel, onClose }: Props) {
  const [flag] = useState(current)
  const update = useUpdateFlag()
  const toInput = (values: FlagForm) => toUpdateFlag(flag, values)
  const form = useForm<FlagForm>({
    initialValues: toFlagForm(flag),
    validate: validateFlag(UpdateFlag, toInput),
  })
  const showErrors = (errors: Readonly<Record<string, unknown>>) => {
    const [first] = Object.keys(errors)
    if (first !== undefined) form.getInputNode(first)?.focus()
  }
  const save = form.onSubmit(
    (values) =>
      update.mutate(toInput(values), {
        onSuccess: (saved) => {
          done(t('form.saved', { key: saved.key, version: saved.version }))
          onClose()
        },
        onError: (error) => {
          const rejected = Object.entries(fieldErrors(problemOf(error))).map(([path, message]) => [
            fieldOf(path, values),
            message,
          ])
          form.setErrors(Object.fromEntries(rejected))
          showErrors(Object.fromEntries(rejected))
        },
      }),
    showErrors,
  )
  const conflict = update.error !== null && problemOf(update.error).code === 'version_conflict'
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        {children(form)}
        <NoteField form={form} required />
        <FormFooter
          error={update.error}
          message={conflict ? t('form.conflict') : undefined}
          submitLabel={submitLabel}
          pending={update.isPending}
          disabled={!changesFlag(flag, form.values)}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
