import type {
  WebhookEndpointView,
  WebhookEndpointWithSecret,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import type { QueryKey } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../confirm.tsx'
import { done, failed } from '../done.ts'
import { fromLocalInput } from '../format.ts'
import { translations } from '../messages.ts'
import { problemOf } from '../problem.ts'
import { RotateDialog } from '../rotate-dialog.tsx'
import { useMutation } from '../use-mutation.ts'
import { EndpointDialog } from './endpoint-form.tsx'
import { saySent } from './say-sent.ts'
import type { EndpointSource } from './source.ts'

const t = translations('ui.webhook-endpoints')

interface Props {
  source: Omit<EndpointSource<unknown, QueryKey>, 'deliveries'>
  endpoint: WebhookEndpointView
  onSecret: (endpoint: WebhookEndpointWithSecret) => void
  onRemoved: () => void
}

/** What can be done with an endpoint. */
export function EndpointActions({ source, endpoint, onSecret, onRemoved }: Props) {
  const [asking, setAsking] = useState<'edit' | 'replay' | 'rotate' | 'remove'>()
  const test = useMutation({ mutationFn: source.test })
  const update = useMutation({ mutationFn: source.update })
  const { id, disabledAt } = endpoint
  const close = () => setAsking(undefined)
  return (
    <Group gap="xs">
      <Button
        size="xs"
        loading={test.isPending}
        onClick={() =>
          test.mutate(id, {
            onSuccess: ({ ok }) => saySent(ok),
            onError: (error) => failed(t('testFailed'), problemOf(error).message),
          })
        }
      >
        {t('test')}
      </Button>
      <Button size="xs" variant="default" onClick={() => setAsking('edit')}>
        {t('edit')}
      </Button>
      <Button
        size="xs"
        variant="default"
        loading={update.isPending}
        onClick={() =>
          update.mutate(
            { id, enabled: disabledAt !== null },
            { onError: (error) => failed(t('switchFailed'), problemOf(error).message) },
          )
        }
      >
        {t(disabledAt === null ? 'switchOff' : 'switchOn')}
      </Button>
      <Button size="xs" variant="default" onClick={() => setAsking('replay')}>
        {t('replay.open')}
      </Button>
      <Button size="xs" variant="default" onClick={() => setAsking('rotate')}>
        {t('rotate.open')}
      </Button>
      <Button size="xs" variant="light" color="red" onClick={() => setAsking('remove')}>
        {t('remove.open')}
      </Button>
      <EndpointDialog
        opened={asking === 'edit'}
        onClose={close}
        endpoint={endpoint}
        kind={source.kind}
        onSave={(values) => source.update({ id, ...values })}
      />
      <ReplayDialog
        opened={asking === 'replay'}
        onClose={close}
        onReplay={(since) => source.replay({ id, since })}
      />
      <RotateDialog
        opened={asking === 'rotate'}
        onClose={close}
        title={t('rotate.title')}
        confirmLabel={t('rotate.open')}
        effect={t('rotate.effect')}
        onRotate={async (overlapHours) => onSecret(await source.rotate({ id, overlapHours }))}
      />
      <ConfirmDialog
        opened={asking === 'remove'}
        onClose={close}
        title={t('remove.title')}
        confirmLabel={t('remove.open')}
        onConfirm={async () => {
          await source.remove(id)
          onRemoved()
          done(t('remove.done'))
        }}
      >
        {t('remove.effect')}
      </ConfirmDialog>
    </Group>
  )
}

interface DialogProps {
  opened: boolean
  onClose: () => void
}

function ReplayDialog({
  opened,
  onClose,
  onReplay,
}: DialogProps & { onReplay: (since: string) => Promise<unknown> }) {
  const [typed, setTyped] = useState('')
  const since = fromLocalInput(typed)
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t('replay.title')}
      confirmLabel={t('replay.open')}
      destructive={false}
      disabled={since === undefined}
      onConfirm={async () => {
        if (since !== undefined) await onReplay(since)
        done(t('replay.done'))
      }}
    >
      <Stack gap="sm">
        <Text size="sm">{t('replay.effect')}</Text>
        <TextInput
          label={t('replay.since')}
          type="datetime-local"
          step={60}
          required
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Stack>
    </ConfirmDialog>
  )
}
