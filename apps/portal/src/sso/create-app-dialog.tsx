import type { CreatedSsoApp } from '@atrium/core/sso/sso'
import { ProblemAlert } from '@atrium/ui/data-states'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { zodForm } from '@atrium/ui/zod-form'
import { ActionIcon, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormErrors, type UseFormReturnType, useForm } from '@mantine/form'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useCreateSsoApp } from './mutations.ts'
import { emptySsoForm, SsoForm, type SsoFormValues, toCreateSsoApp } from './sso-form.ts'

const t = translations('portal.sso')

interface Props {
  slug: string
  opened: boolean
  onClose: () => void
  onCreated: (app: CreatedSsoApp) => void
}

/** Asks for what the identity provider needs to know about an application. */
export function CreateAppDialog({ opened, onClose, ...props }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={t('create.title')} size="lg">
      {opened && <CreateAppForm {...props} onClose={onClose} />}
    </Modal>
  )
}

function CreateAppForm({ slug, onClose, onCreated }: Omit<Props, 'opened'>) {
  const create = useCreateSsoApp(slug)
  const [unplaced, setUnplaced] = useState<unknown>()
  const form = useForm<SsoFormValues>({ initialValues: emptySsoForm, validate: zodForm(SsoForm) })

  function submit(values: SsoFormValues) {
    setUnplaced(undefined)
    create.mutate(toCreateSsoApp(slug, values), {
      onSuccess: onCreated,
      onError: (error) => {
        if (!showRejection(form, error, { name: 'name', codes: ['already_exists'] }))
          setUnplaced(error)
      },
    })
  }

  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
      <Stack>
        <TextInput
          label={t('create.name')}
          description={t('create.nameHint')}
          placeholder="Nextcloud"
          required
          maxLength={80}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <RedirectUris form={form} />
        <TextInput
          label={t('create.startAddress')}
          description={t('create.startAddressHint')}
          placeholder="https://cloud.example.com"
          type="url"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('launchUrl')}
        />
        {unplaced !== undefined && (
          <ProblemAlert title={t('create.failed')} error={unplaced} message={explain(unplaced)} />
        )}
        {create.isPending && (
          <Text size="sm" c="dimmed" role="status">
            {t('create.pending')}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={create.isPending}>
            {t('create.cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('create.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type SsoFormState = UseFormReturnType<
  SsoFormValues,
  SsoFormValues,
  (values: SsoFormValues) => FormErrors
>

function RedirectUris({ form }: { form: SsoFormState }) {
  const { redirectUris } = form.values
  return (
    <Stack gap="xs" role="group" aria-label={t('redirects.title')}>
      {redirectUris.map((_, index) => (
        // A position is the only name that a row has: values may repeat while they are being typed.
        <Group key={index} gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            flex={1}
            label={
              index === 0 ? t('redirects.first') : t('redirects.numbered', { number: index + 1 })
            }
            {...(index === 0
              ? {
                  description: t('redirects.hint'),
                }
              : {})}
            placeholder="https://cloud.example.com/apps/user_oidc/code"
            required
            type="url"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={2000}
            {...form.getInputProps(`redirectUris.${index}`)}
          />
          {redirectUris.length > 1 && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={t('redirects.remove', { number: index + 1 })}
              onClick={() => form.removeListItem('redirectUris', index)}
            >
              <IconX size={18} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      ))}
      {redirectUris.length < 20 && (
        <Group>
          <Button
            size="xs"
            variant="subtle"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => form.insertListItem('redirectUris', '')}
          >
            {t('redirects.add')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
