import { CreateList, type ListView } from '@atrium/core/mail/lists'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { zodForm } from '@atrium/ui/zod-form'
import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useUpdateList } from './mutations.ts'
import { allRecipients, changesOf, faultsByAddress } from './recipients.ts'
import { RecipientsEditor } from './recipients-editor.tsx'

const check = zodForm(CreateList.pick({ name: true }))
const fromList = ({ name, recipients }: ListView) => ({ name, recipients, typed: '' })

/**
 * Name and recipients of a list. Only what was changed is sent, so that two admins do not undo each
 * other's additions.
 */
export function ListForm({ list }: { list: ListView }) {
  const tenant = useTenant()
  const update = useUpdateList(tenant.slug)
  const [refused, setRejected] = useState<unknown>()
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map())
  const form = useForm({
    initialValues: fromList(list),
    validate: ({ name, recipients, typed }) => {
      const all = allRecipients(recipients, typed)
      const fault =
        'fault' in all
          ? all.fault
          : all.recipients.length === 0
            ? 'A list has at least one recipient.'
            : undefined
      return { ...check({ name }), ...(fault ? { recipients: fault } : {}) }
    },
  })

  useFollowRecord(form, fromList(list))

  function submit(values: typeof form.values) {
    const all = allRecipients(values.recipients, values.typed)
    if ('fault' in all) return
    form.setValues({ recipients: all.recipients, typed: '' })
    const changes = changesOf(list.recipients, all.recipients)
    const renamed = values.name.trim() === list.name ? {} : { name: values.name }
    if (!changes && Object.keys(renamed).length === 0) return
    setRejected(undefined)
    setFaults(new Map())
    update.mutate(
      {
        slug: tenant.slug,
        listId: list.id,
        ...renamed,
        ...changes,
        expectedVersion: list.editVersion,
      },
      {
        onSuccess: (saved) => {
          form.setInitialValues(fromList(saved))
          form.setValues(fromList(saved))
          done(
            saved.state === 'ok'
              ? 'The list is saved.'
              : 'The list is saved. The mail server follows as soon as it can.',
          )
        },
        onError: (error) => {
          setFaults(faultsByAddress(problemOf(error).issues, changes ?? {}))
          // Every fault of a recipient stands at its address; the sentence of the whole is shown
          // when there is no such place.
          showRejection(form, error)
          setRejected(error)
        },
      },
    )
  }

  const dirty = form.isDirty()
  return (
    <Panel title="Name and recipients">
      <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
        <Stack>
          <TextInput label="Name" required maxLength={100} {...form.getInputProps('name')} />
          <RecipientsEditor
            value={form.values.recipients}
            typed={form.values.typed}
            domains={tenant.domains}
            faults={faults}
            error={form.errors.recipients}
            onChange={(recipients) => form.setFieldValue('recipients', recipients)}
            onTyped={(typed) => form.setFieldValue('typed', typed)}
          />
          {refused !== undefined && (
            <ProblemAlert
              title="The list was not changed."
              error={refused}
              message={explain(refused)}
            />
          )}
          <SaveButtons
            label="Save changes"
            saving={update.isPending}
            dirty={dirty}
            onDiscard={form.reset}
          />
        </Stack>
      </form>
    </Panel>
  )
}
