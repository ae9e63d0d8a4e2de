import { CreateList, type ListView } from '@atrium/core/mail/lists'
import { ProblemAlert } from '@atrium/ui/data-states'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import { zodForm } from '@atrium/ui/zod-form'
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { OwnAddressField, useAddressDomains, wholeAddress } from '../domains/own-address-field.tsx'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useCreateList } from './mutations.ts'
import { allRecipients, faultsByAddress } from './recipients.ts'
import { RecipientsEditor } from './recipients-editor.tsx'

const t = translations('portal.lists')

interface Props {
  opened: boolean
  onClose: () => void
  onCreated: (list: ListView) => void
}

/** Asks for the address of a list and whom it sends to. */
export function CreateListDialog({ opened, onClose, onCreated }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('create.title')}
      size="lg"
      closeOnClickOutside={false}
    >
      {opened && <CreateListForm onClose={onClose} onCreated={onCreated} />}
    </Modal>
  )
}

const Fields = CreateList.pick({ address: true, name: true })
const check = zodForm(Fields)
const aboutAddress = ['email_taken', 'domain_not_verified', 'already_exists']

function CreateListForm({ onClose, onCreated }: Omit<Props, 'opened'>) {
  const tenant = useTenant()
  const { slug } = tenant
  const create = useCreateList(slug)
  const domains = useAddressDomains()
  const [rejected, setRejected] = useState<unknown>()
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map())
  const form = useForm({
    initialValues: {
      name: '',
      address: { localPart: '', domain: '' },
      recipients: [] as string[],
      typed: '',
    },
    validate: ({ name, address, recipients, typed }) => {
      const all = allRecipients(recipients, typed)
      const fault =
        'fault' in all ? all.fault : all.recipients.length === 0 ? t('noRecipient') : undefined
      return {
        ...check({ name, address: wholeAddress(address) }),
        ...(fault ? { recipients: fault } : {}),
      }
    },
  })

  function submit(values: typeof form.values) {
    const all = allRecipients(values.recipients, values.typed)
    if ('fault' in all) return
    const { recipients } = all
    form.setValues({ recipients, typed: '' })
    setRejected(undefined)
    setFaults(new Map())
    create.mutate(
      { slug, name: values.name, address: wholeAddress(values.address), recipients },
      {
        onSuccess: onCreated,
        onError: (error) => {
          setFaults(faultsByAddress(problemOf(error).issues, { recipients }))
          const placed = showRejection(form, error, { name: 'address', codes: aboutAddress })
          if (!placed) setRejected(error)
        },
      },
    )
  }

  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
      <Stack>
        <TextInput
          label={t('create.name')}
          description={t('create.nameHint')}
          required
          maxLength={100}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <OwnAddressField
          label={t('create.address')}
          description={t('create.addressHint')}
          value={form.values.address}
          domains={domains}
          error={form.errors.address}
          onChange={(address) => form.setFieldValue('address', address)}
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
          <ProblemAlert title={t('create.failed')} error={rejected} message={explain(rejected)} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={create.isPending}>
            {t('create.cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('create.action')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
