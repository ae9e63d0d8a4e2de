import { AddAlias, type AliasView } from '@atrium/core/mail/aliases'
import { ProblemAlert } from '@atrium/ui/data-states'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { zodForm } from '@atrium/ui/zod-form'
import { Button, Group, Modal, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { OwnAddressField, useAddressDomains, wholeAddress } from '../domains/own-address-field.tsx'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { MailboxPicker } from './mailbox-picker.tsx'
import { useAddAlias } from './mutations.ts'

const t = translations('portal.aliases')

interface Props {
  slug: string
  opened: boolean
  onClose: () => void
  onAdded: (alias: AliasView) => void
}

/** Asks for a further address and whose mailbox it belongs to. */
export function AddAliasDialog({ opened, onClose, ...props }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={t('add.title')} size="md">
      {opened && <AddAliasForm {...props} onClose={onClose} />}
    </Modal>
  )
}

const Fields = AddAlias.pick({ address: true, userId: true })
const check = zodForm(Fields)
const aboutAddress = ['email_taken', 'domain_not_verified', 'already_exists']

function AddAliasForm({ slug, onClose, onAdded }: Omit<Props, 'opened'>) {
  const add = useAddAlias(slug)
  const domains = useAddressDomains()
  const [unplaced, setUnplaced] = useState<unknown>()
  const form = useForm({
    initialValues: { address: { localPart: '', domain: '' }, userId: '' },
    validate: ({ address, userId }) => check({ address: wholeAddress(address), userId }),
  })

  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ address, userId }) => {
        setUnplaced(undefined)
        add.mutate(
          { slug, address: wholeAddress(address), userId },
          {
            onSuccess: onAdded,
            onError: (error) => {
              if (!showRejection(form, error, { name: 'address', codes: aboutAddress }))
                setUnplaced(error)
            },
          },
        )
      }, focusFirstError)}
    >
      <Stack>
        <OwnAddressField
          label={t('add.address')}
          description={t('add.addressHint')}
          value={form.values.address}
          domains={domains}
          error={form.errors.address}
          autoFocus
          onChange={(address) => form.setFieldValue('address', address)}
        />
        <MailboxPicker
          slug={slug}
          value={form.values.userId || null}
          error={form.errors.userId}
          onChange={(userId) => form.setFieldValue('userId', userId ?? '')}
        />
        {unplaced !== undefined && (
          <ProblemAlert title={t('add.failed')} error={unplaced} message={explain(unplaced)} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={add.isPending}>
            {t('add.cancel')}
          </Button>
          <Button type="submit" loading={add.isPending}>
            {t('add.action')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
