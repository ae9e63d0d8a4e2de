import {
  type ServiceScope,
  type ServiceTokenKind,
  scopesOfKind,
} from '@atrium/core/service-tokens/scopes'
import {
  type CreatedServiceToken,
  CreatePlatformToken,
  type CreateServiceToken,
  serviceTokenDays,
} from '@atrium/core/service-tokens/service-tokens'
import {
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { ProblemAlert } from '../data-states.tsx'
import { focusFirstError } from '../form-focus.ts'
import { formatDay } from '../format.ts'
import { translations } from '../messages.ts'
import { problemOf } from '../problem.ts'
import { zodForm } from '../zod-form.ts'

const t = translations('ui.service-tokens')
const frame = translations('ui.frame')

/** What the form of a token begins with. */
export type ProposedToken = Pick<CreateServiceToken, 'name'> & { scopes: ServiceScope[] }

interface Props {
  kind: ServiceTokenKind
  proposed?: ProposedToken | undefined
  opened: boolean
  onClose: () => void
  /** Creates the token. The dialog shows the failure when it is rejected. */
  onCreate: (token: CreateServiceToken) => Promise<CreatedServiceToken>
  onCreated: (token: CreatedServiceToken) => void
}

/** Asks for the name, the scopes, the end and the networks of a new token. */
export function CreateToken({ opened, onClose, ...props }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={t('create.title')} size="lg">
      {/* Mounted with each opening, so that nothing typed before is left in it. */}
      {opened && <CreateForm {...props} onClose={onClose} />}
    </Modal>
  )
}

interface Values {
  name: string
  scopes: ServiceScope[]
  networks: string
  days: string
}

const dayMs = 86_400_000
const dayChoices = [7, 30, serviceTokenDays.proposed, 180, serviceTokenDays.most]

const toToken = ({ name, scopes, networks, days }: Values): CreateServiceToken => ({
  name,
  scopes,
  networks: networks.split(/[\s,]+/).filter((entry) => entry !== ''),
  expiresInDays: Number(days),
})

function CreateForm({ kind, proposed, onClose, onCreate, onCreated }: Omit<Props, 'opened'>) {
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<unknown>()
  const form = useForm<Values>({
    initialValues: {
      name: proposed?.name ?? '',
      scopes: proposed?.scopes ?? [],
      networks: '',
      days: String(serviceTokenDays.proposed),
    },
    validate: (values) => ({
      ...zodForm(CreatePlatformToken)(toToken(values)),
      ...(values.scopes.length === 0 && { scopes: t('create.scopesMissing') }),
    }),
  })
  async function send(values: Values) {
    setPending(true)
    setError(undefined)
    try {
      const created = await onCreate(toToken(values))
      onClose()
      onCreated(created)
    } catch (failure) {
      const { issues } = problemOf(failure)
      const network = issues?.find(({ path }) => path.startsWith('networks'))
      if (network) form.setFieldError('networks', network.message)
      else setError(failure)
    } finally {
      setPending(false)
    }
  }
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void send(values), focusFirstError)}>
      <Stack>
        <TextInput
          label={t('create.name')}
          description={t('create.nameHint')}
          required
          maxLength={80}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Checkbox.Group
          label={t('create.scopes')}
          description={t('create.scopesHint')}
          required
          {...form.getInputProps('scopes')}
        >
          <Stack gap={6} mt={8} mb={4}>
            {areasOf(kind).map(([area, scopes]) => (
              <ScopeRow key={area} area={area} scopes={scopes} />
            ))}
          </Stack>
        </Checkbox.Group>
        <NativeSelect
          label={t('create.end')}
          description={t('create.endHint')}
          data={dayChoices.map((days) => ({
            value: String(days),
            label: `${formatDay(new Date(Date.now() + days * dayMs).toISOString())} · ${t('create.inDays', { days })}`,
          }))}
          {...form.getInputProps('days')}
        />
        <Textarea
          label={t('create.networks')}
          description={t('create.networksHint')}
          placeholder="192.0.2.0/24"
          autosize
          minRows={1}
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('networks')}
        />
        {error !== undefined && <ProblemAlert title={t('create.failed')} error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={pending}>
            {frame('cancel')}
          </Button>
          <Button type="submit" loading={pending}>
            {t('create.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type Area = ServiceScope extends `${infer Name}:${string}` ? Name : never

/** The scopes that a token of the kind can have, by what they are about. */
function areasOf(kind: ServiceTokenKind): [Area, ServiceScope[]][] {
  return [...Map.groupBy(scopesOfKind[kind], (scope) => scope.split(':')[0] as Area)]
}

function ScopeRow({ area, scopes }: { area: Area; scopes: readonly ServiceScope[] }) {
  return (
    <Group role="group" aria-label={t(`areas.${area}`)} justify="space-between" wrap="nowrap">
      <Text size="sm">{t(`areas.${area}`)}</Text>
      <Group gap="md" wrap="nowrap">
        {scopes.map((scope) => (
          <Checkbox
            key={scope}
            value={scope}
            size="sm"
            label={t(scope.endsWith(':read') ? 'may.read' : 'may.write')}
          />
        ))}
      </Group>
    </Group>
  )
}
