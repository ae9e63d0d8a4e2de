import { ListMailQueue, MailPath, MailQueuePage, QueuedMail } from '@atrium/core/outbox/outbox'
import { operator } from '../rpc/guards.ts'
import { router } from '../rpc/trpc.ts'
import { listMailQueue } from './list.ts'
import { retryMail } from './retry.ts'

const tags = ['outbox']

export const outboxRouter = router({
  list: operator
    .meta({
      scope: 'system:read',
      openapi: {
        method: 'GET',
        path: '/outbox',
        tags,
        summary: 'List the mails that are to be sent or were sent',
      },
    })
    .input(ListMailQueue)
    .output(MailQueuePage)
    .query(({ ctx, input }) => listMailQueue(ctx, input)),
  retry: operator
    .meta({
      scope: 'system:write',
      openapi: {
        method: 'POST',
        path: '/outbox/{id}/retry',
        tags,
        summary: 'Send a mail that failed or was given up, now',
      },
      audit: 'outbox.retried',
      errors: ['not_found', 'mail_sent', 'mail_erased'],
    })
    .input(MailPath)
    .output(QueuedMail)
    .mutation(({ ctx, input }) => retryMail(ctx, ctx.caller, input.id)),
})
