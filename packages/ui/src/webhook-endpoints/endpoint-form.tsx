import type { ServiceTokenKind } from '@atrium/core/service-tokens/scopes'
import {
  CreatePlatformEndpoint,
  type WebhookEndpointView,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { Button, Group, Modal, MultiSelect, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { ProblemAlert } from '../data-states.tsx'
import { focusFirstError } from '../form-focus.ts'
import { translations } from '../messages.ts'
import { useAction } from '../use-action.ts'
import { zodForm } from '../zod-form.ts'
import { eventChoices } from './event-types.ts'
import type { EndpointValues as Values } from './source.ts'

const t = translations('ui.webhook-endpoints')
const frame = translations('ui.frame')

interface Props {
  kind: ServiceTokenKind
  opened: boolean
  onClose: () => void
  /** The endpoint that is edited; undefined for a new one. */
  endpoint?: WebhookEndpointView
  /** Saves it. The dialog shows the failure when it is rejected. */
  onSave: (values: Values) => Promise<unknown>
}

/** Asks for the address and the events of a webhook endpoint. */
export function EndpointDialog({ kind, opened, onClose, endpoint, onSave }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t(endpoint ? 'form.edit' : 'form.create')}
      size="lg"
    >
      {/* Mounted with each opening, so that nothing typed before is left in it. */}
      {opened && (
        <EndpointForm
          kind={kind}
          onClose={onClose}
          onSave={onSave}
          {...(endpoint && { endpoint })}
        />
      )}
    </Modal>
  )
}

function EndpointForm({ kind, endpoint, onClose, onSave }: Omit<Props, 'opened'>) {
  const { pending, error, run } = useAction()
  const form = useForm<Values>({
    initialValues: {
      url: endpoint?.url ?? '',
      description: endpoint?.description ?? '',
      types: (endpoint?.types ?? []) as Values['types'],
    },
    validate: zodForm(CreatePlatformEndpoint),
  })
  const save = (values: Values) =>
    run(async () => {
      await onSave(values)
      onClose()
    })
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void save(values), focusFirstError)}>
      <Stack>
        <TextInput
          label={t('form.url')}
          description={t('form.urlHint')}
          placeholder="https://hooks.example.com/atrium"
          type="url"
          required
          maxLength={2000}
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps('url')}
        />
        <TextInput
          label={t('form.description')}
          description={t('form.descriptionHint')}
          maxLength={200}
          {...form.getInputProps('description')}
        />
        <MultiSelect
          label={t('form.types')}
          description={t('form.typesHint')}
          placeholder={form.values.types.length === 0 ? t('allEvents') : ''}
          data={eventChoices(kind)}
          searchable
          clearable
          hidePickedOptions
          {...form.getInputProps('types')}
        />
        {error !== undefined && <ProblemAlert title={t('form.failed')} error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={pending}>
            {frame('cancel')}
          </Button>
          <Button type="submit" loading={pending}>
            {t(endpoint ? 'form.save' : 'create')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
