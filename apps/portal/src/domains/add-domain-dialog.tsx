import { AddDomain, type DomainView } from '@atrium/core/mail/domains'
import { ProblemAlert } from '@atrium/ui/data-states'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { zodForm } from '@atrium/ui/zod-form'
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useAddDomain } from './mutations.ts'

const t = translations('portal.domains')

interface Props {
  slug: string
  opened: boolean
  onClose: () => void
  onAdded: (domain: DomainView) => void
}

/** Asks for the name of a domain that the workplace owns. */
export function AddDomainDialog({ opened, onClose, ...props }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={t('add.title')} size="md">
      {opened && <AddDomainForm {...props} onClose={onClose} />}
    </Modal>
  )
}

const Fields = AddDomain.pick({ domain: true })

function AddDomainForm({ slug, onClose, onAdded }: Omit<Props, 'opened'>) {
  const add = useAddDomain(slug)
  const [unplaced, setUnplaced] = useState<unknown>()
  const form = useForm({ initialValues: { domain: '' }, validate: zodForm(Fields) })

  function submit(values: { domain: string }) {
    setUnplaced(undefined)
    add.mutate(
      { slug, domain: Fields.parse(values).domain },
      {
        onSuccess: onAdded,
        onError: (error) => {
          if (!showRejection(form, error, { name: 'domain', codes: ['already_exists'] }))
            setUnplaced(error)
        },
      },
    )
  }

  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
      <Stack>
        <TextInput
          label={t('add.domain')}
          description={t('add.hint')}
          placeholder="acme.com"
          required
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps('domain')}
        />
        <Text size="sm" c="dimmed">
          {t('add.next')}
        </Text>
        {unplaced !== undefined && (
          <ProblemAlert title={t('add.failed')} error={unplaced} message={explain(unplaced)} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={add.isPending}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={add.isPending}>
            {t('add.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
