import { EnteredCredential, type HostView } from '@atrium/core/scheduling/hosts'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ProblemAlert } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { FailureText } from '@atrium/ui/failure-text'
import { focusFirstError } from '@atrium/ui/form-focus'
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
        <Text size="sm">
          Free times are read from the calendar of {host.mailAddress}, and bookings are written into
          it. Connect the mailbox to begin.
        </Text>
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

const sources = {
  minted: 'An app password that the platform made for this alone',
  entered: 'An app password that was typed in',
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
        <DetailItem label="Mailbox">{host.mailAddress}</DetailItem>
        <DetailItem label="Access by">{credential.source && sources[credential.source]}</DetailItem>
        <DetailItem label="Last checked">
          {credential.checkedAt && <Time at={credential.checkedAt} show="both" />}
        </DetailItem>
      </DetailList>
      {check.error !== null && (
        <ProblemAlert
          title="The mailbox could not be checked."
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
                  onSuccess: ({ ok }) =>
                    ok && done('The mailbox answers and accepts the credential.'),
                },
              )
            }
          >
            Check now
          </Button>
          <Button variant="subtle" color="red" onClick={open}>
            Disconnect
          </Button>
        </Group>
      )}
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Disconnect the mailbox of ${host.name}?`}
        confirmLabel="Disconnect"
        explain={explain}
        onConfirm={async () => {
          await disconnect.mutateAsync({ slug, hostId: host.id })
          done('The mailbox is disconnected.')
        }}
      >
        Visitors are offered no more times until it is connected again. Bookings that were made
        stay, and what changes about them is not written into the calendar meanwhile.{' '}
        {credential.source === 'minted' && 'The app password is revoked at the mail server.'}
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
              Back
            </Button>
          )
        }
      />
    )
  return (
    <>
      {mint.error !== null && (
        <ProblemAlert
          title="The mailbox was not connected."
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
              { onSuccess: () => done(`The calendar of ${host.name} is connected.`) },
            )
          }
        >
          Connect mailbox
        </Button>
        <Button variant="subtle" onClick={onEnter}>
          Enter an app password instead
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
  const [refused, setRejected] = useState<unknown>()
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
          done(`The calendar of ${host.name} is connected.`)
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
          label="User name at the mail server"
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('username')}
        />
        <PasswordInput
          label="App password"
          description="It is tried out, then stored encrypted. Nobody can read it again here."
          required
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the app password' }}
          {...form.getInputProps('secret')}
        />
        {refused !== undefined && (
          <ProblemAlert
            title="The mailbox was not connected."
            error={refused}
            message={explain(refused)}
          />
        )}
        <Group gap="xs">
          <Button type="submit" loading={connect.isPending}>
            Connect mailbox
          </Button>
          {cancel}
        </Group>
      </Stack>
    </form>
  )
}
