import { CreateList, type ListView } from '@atrium/core/mail/lists'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
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

const t = translations('portal.lists')

const check = zodForm(CreateList.pick({ name: true }))
const fromList = ({ name, recipients }: ListView) => ({ name, recipients, typed: '' })

/**
 * Name and recipients of a list. Only what was changed is sent, so that two admins do not undo each
 * other's additions.
 */
export function ListForm({ list }: { list: ListView }) {
  const tenant = useTenant()
  const update = useUpdateList(tenant.slug)
  const [rejected, setRejected] = useState<unknown>()
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map())
  const form = useForm({
    initialValues: fromList(list),
    validate: ({ name, recipients, typed }) => {
      const all = allRecipients(recipients, typed)
      const fault =
        'fault' in all ? all.fault : all.recipients.length === 0 ? t('noRecipient') : undefined
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
          done(t(saved.state === 'ok' ? 'form.saved' : 'form.savedLater'))
        },
        onError: (error) => {
          setFaults(faultsByAddress(problemOf(error).issues, changes ?? {}))
          // Errors of recipients are shown at their addresses; the error of the whole is shown when
          // there is no such place.
          showRejection(form, error)
          setRejected(error)
        },
      },
    )
  }

  const dirty = form.isDirty()
  return (
    <Panel title={t('form.title')}>
      <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
        <Stack>
          <TextInput
            label={t('form.name')}
            required
            maxLength={100}
            {...form.getInputProps('name')}
          />
          <RecipientsEditor
            value={form.values.recipients}
            typed={form.values.typed}
            domains={tenant.domains}
            faults={faults}
            error={form.errors.recipients}
            onChange={(recipients) => form.setFieldValue('recipients', recipients)}
            onTyped={(typed) => form.setFieldValue('typed', typed)}
          />
          {rejected !== undefined && (
            <ProblemAlert title={t('form.failed')} error={rejected} message={explain(rejected)} />
          )}
          <SaveButtons
            label={t('form.save')}
            saving={update.isPending}
            dirty={dirty}
            onDiscard={form.reset}
          />
        </Stack>
      </form>
    </Panel>
  )
}
