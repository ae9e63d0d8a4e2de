import {
  type GrantRole,
  type GrantScope,
  grantRoles,
  grantScopes,
} from '@atrium/core/access-grants/scopes'
import {
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  Radio,
  Stack,
  Text,
  Textarea,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { ProblemAlert } from './data-states.tsx'
import { focusFirstError } from './form-focus.ts'
import { formatDay } from './format.ts'
import { translations } from './messages.ts'
import { useAction } from './use-action.ts'

const t = translations('ui.access-grants')
const frame = translations('ui.frame')

const dayMs = 86_400_000
const days = [1, 3, 7, 14, 30]

export interface AccessRequest {
  role: GrantRole
  scopes: GrantScope[]
  reason: string
  /** ISO 8601 instant. */
  endsAt: string
}

interface Props {
  opened: boolean
  onClose: () => void
  /** Name of the workplace. */
  tenant: string
  /** Sends the request. The dialog shows the failure when it is rejected. */
  onAsk: (request: AccessRequest) => Promise<unknown>
}

/** Asks the owner of a workplace for access. */
export function AccessGrantRequest({ opened, onClose, tenant, onAsk }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={t('ask.title', { tenant })} size="lg">
      {/* Mounted with each opening, so that nothing typed before is left in it. */}
      {opened && <RequestForm onClose={onClose} onAsk={onAsk} />}
    </Modal>
  )
}

interface Values {
  role: GrantRole
  scopes: GrantScope[]
  reason: string
  days: string
}

function RequestForm({ onClose, onAsk }: Pick<Props, 'onClose' | 'onAsk'>) {
  const { pending, error, run } = useAction()
  const form = useForm<Values>({
    initialValues: { role: 'admin', scopes: [], reason: '', days: '7' },
    validate: {
      scopes: (scopes) => (scopes.length > 0 ? null : t('ask.areasMissing')),
      reason: (reason) => (reason.trim() === '' ? t('ask.reasonMissing') : null),
    },
  })
  async function send({ role, scopes, reason, days: until }: Values) {
    // A minute less, so that clocks that differ do not make it more than the API allows.
    const endsAt = new Date(Date.now() + Number(until) * dayMs - 60_000).toISOString()
    await run(async () => {
      await onAsk({ role, scopes, reason: reason.trim(), endsAt })
      onClose()
    })
  }
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void send(values), focusFirstError)}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t('ask.lead')}
        </Text>
        <Radio.Group label={t('ask.role')} {...form.getInputProps('role')}>
          <Stack gap={8} mt={6}>
            {grantRoles.map((role) => (
              <Radio
                key={role}
                value={role}
                label={t(`roles.${role}`)}
                description={t(`roleHints.${role}`)}
              />
            ))}
          </Stack>
        </Radio.Group>
        <Checkbox.Group label={t('ask.areas')} required {...form.getInputProps('scopes')}>
          <Stack gap={8} mt={6} mb={4}>
            {grantScopes.map((scope) => (
              <Checkbox
                key={scope}
                value={scope}
                label={t(`scopes.${scope}`)}
                description={t(`scopeHints.${scope}`)}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <Textarea
          label={t('ask.reason')}
          description={t('ask.reasonHint')}
          required
          autosize
          minRows={2}
          maxLength={500}
          {...form.getInputProps('reason')}
        />
        <NativeSelect
          label={t('ask.days')}
          data={days.map((count) => ({
            value: String(count),
            label: `${formatDay(new Date(Date.now() + count * dayMs).toISOString())} · ${t('ask.inDays', { days: count })}`,
          }))}
          {...form.getInputProps('days')}
        />
        {error !== undefined && <ProblemAlert error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={pending}>
            {frame('cancel')}
          </Button>
          <Button type="submit" loading={pending}>
            {t('ask.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
