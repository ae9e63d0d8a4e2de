import type { QueuedMail } from '@atrium/core/outbox/outbox'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.mail')

/** Moves a mail that failed or was given up to the head of the queue. */
export function SendAgain({ mail }: { mail: QueuedMail }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const retry = useMutation(
    trpc.outbox.retry.mutationOptions({
      onSuccess: () => {
        done(t('sendAgain.done'))
        return queryClient.invalidateQueries(trpc.outbox.pathFilter())
      },
    }),
  )
  if (mail.recipient === null || (mail.state !== 'failed' && mail.state !== 'gave_up')) return '–'
  return (
    <>
      <Button
        variant="default"
        size="xs"
        loading={retry.isPending}
        aria-label={t('sendAgain.label', { title: mail.title, recipient: mail.recipient })}
        onClick={() => retry.mutate({ id: mail.id })}
      >
        {t('sendAgain.action')}
      </Button>
      {retry.error && (
        <Text size="xs" c="red" role="alert">
          {problemOf(retry.error).message}
        </Text>
      )}
    </>
  )
}
