import { EnteredCredential, type HostView } from '@atrium/core/scheduling/hosts'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ProblemAlert } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { FailureText } from '@atrium/ui/failure-text'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { Time } from '@atrium/ui/time'
import { zodForm } from '@atrium/ui/zod-form'
import { Alert, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle, IconPlugConnected } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useCheckMailbox, useConnectMailbox, useDisconnectMailbox } from './host-mutations.ts'

const t = translations('portal.scheduling-hosts')

interface Props {
  host: HostView
  changing: boolean
}

/**
 * The connection to the host's mailbox: made with one click or by an app password, checked, and
 * taken away.
 */
export function HostCalendar({ host, changing }: Props) {
  const { credential } = host
  const [entering, { open, close }] = useDisclosure(false)
  return (
    <Stack>
      {credential.present ? (
        <Connected host={host} changing={changing} />
      ) : (
        <Text size="sm">{t('calendar.connectFirst', { address: host.mailAddress })}</Text>
      )}
      {credential.error !== null && (
        <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />}>
          <FailureText text={credential.error} />
        </Alert>
      )}
      {changing && (!credential.present || credential.ok === false || entering) && (
        <Connect host={host} entering={entering || !host.mintable} onEnter={open} onDone={close} />
      )}
    </Stack>
  )
}

function Connected({ host, changing }: Props) {
  const { slug } = useTenant()
  const { credential } = host
  const check = useCheckMailbox(slug)
  const disconnect = useDisconnectMailbox(slug)
  const [asking, { open, close }] = useDisclosure(false)
  return (
    <>
      <DetailList>
        <DetailItem label={t('calendar.mailbox')}>{host.mailAddress}</DetailItem>
        <DetailItem label={t('calendar.access')}>
          {credential.source && t(`calendar.sources.${credential.source}`)}
        </DetailItem>
        <DetailItem label={t('calendar.checkedAt')}>
          {credential.checkedAt && <Time at={credential.checkedAt} show="both" />}
        </DetailItem>
      </DetailList>
      {check.error !== null && (
        <ProblemAlert
          title={t('calendar.checkFailed')}
          error={check.error}
          message={explain(check.error)}
        />
      )}
      {changing && (
        <Group gap="xs">
          <Button
            variant="default"
            loading={check.isPending}
            onClick={() =>
              check.mutate(
                { slug, hostId: host.id },
                {
                  onSuccess: ({ ok }) => ok && done(t('calendar.works')),
                },
              )
            }
          >
            {t('calendar.check')}
          </Button>
          <Button variant="subtle" color="red" onClick={open}>
            {t('calendar.disconnect')}
          </Button>
        </Group>
      )}
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={t('calendar.disconnectTitle', { host: host.name })}
        confirmLabel={t('calendar.disconnect')}
        explain={explain}
        onConfirm={async () => {
          await disconnect.mutateAsync({ slug, hostId: host.id })
          done(t('calendar.disconnected'))
        }}
      >
        {t('calendar.disconnectEffect')}{' '}
        {credential.source === 'minted' && t('calendar.disconnectRevokes')}
      </ConfirmDialog>
    </>
  )
}

interface ConnectProps {
  host: HostView
  entering: boolean
  onEnter: () => void
  onDone: () => void
}

function Connect({ host, entering, onEnter, onDone }: ConnectProps) {
  const { slug } = useTenant()
  const mint = useConnectMailbox(slug)
  if (entering)
    return (
      <EnterPassword
        host={host}
        onDone={onDone}
        cancel={
          host.mintable && (
            <Button variant="default" onClick={onDone}>
              {t('calendar.back')}
            </Button>
          )
        }
      />
    )
  return (
    <>
      {mint.error !== null && (
        <ProblemAlert
          title={t('calendar.connectFailed')}
          error={mint.error}
          message={explain(mint.error)}
        />
      )}
      <Group gap="xs">
        <Button
          leftSection={<IconPlugConnected size={17} aria-hidden />}
          loading={mint.isPending}
          onClick={() =>
            mint.mutate(
              { slug, hostId: host.id, mode: 'mint' },
              { onSuccess: () => done(t('calendar.connected', { host: host.name })) },
            )
          }
        >
          {t('calendar.connect')}
        </Button>
        <Button variant="subtle" onClick={onEnter}>
          {t('calendar.enterInstead')}
        </Button>
      </Group>
    </>
  )
}

const check = zodForm(EnteredCredential)

function EnterPassword({
  host,
  onDone,
  cancel,
}: {
  host: HostView
  onDone: () => void
  cancel: ReactNode
}) {
  const { slug } = useTenant()
  const connect = useConnectMailbox(slug)
  const [rejected, setRejected] = useState<unknown>()
  const form = useForm({
    initialValues: { username: host.mailAddress, secret: '' },
    validate: check,
  })

  function submit({ username, secret }: typeof form.values) {
    setRejected(undefined)
    connect.mutate(
      { slug, hostId: host.id, mode: 'enter', username, secret },
      {
        onSuccess: () => {
          form.reset()
          onDone()
          done(t('calendar.connected', { host: host.name }))
        },
        onError: (error) => {
          if (!showRejection(form, error)) setRejected(error)
        },
      },
    )
  }

  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
      <Stack>
        <TextInput
          label={t('calendar.username')}
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('username')}
        />
        <PasswordInput
          label={t('calendar.password')}
          description={t('calendar.passwordHint')}
          required
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': t('calendar.showPassword') }}
          {...form.getInputProps('secret')}
        />
        {rejected !== undefined && (
          <ProblemAlert
            title={t('calendar.connectFailed')}
            error={rejected}
            message={explain(rejected)}
          />
        )}
        <Group gap="xs">
          <Button type="submit" loading={connect.isPending}>
            {t('calendar.connect')}
          </Button>
          {cancel}
        </Group>
      </Stack>
    </form>
  )
}
