import { mailGroupOf } from '@atrium/core/account/notifications'
import { templateDefinition } from '@atrium/core/branding/email-templates'
import type { MailValues, OutgoingMail } from '@atrium/core/outbox/outbox'
import { insertMail } from '@atrium/db/outbox/outbox'
import type { Trx } from '@atrium/db/platform/connect'
import { languageOfRecipient } from '@atrium/db/users/languages'
import { findMailRecipient } from '@atrium/db/users/muted-mails'
import { parseMailbox } from '@atrium/integrations/mailer/addresses'
import { defaultLanguage } from '@atrium/messages/languages'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Jobs } from './jobs.ts'

export interface Outbox {
  /**
   * Queues a mail in the caller's transaction: it is sent once that commits, and never when it does
   * not. Its language is kept with its values (`language`), and of a mail that can be switched off
   * the id of its recipient (`recipientId`). A mail of a key that was queued before
   * is left out, and so is one of a group that the recipient switched off. Throws for values that
   * the template needs and that are not given.
   */
  send(trx: Trx, mail: OutgoingMail): Promise<void>
}

export function createOutbox({
  config,
  clock,
  jobs,
}: {
  config: Config
  clock: Clock
  jobs: Jobs
}): Outbox {
  const host = parseMailbox(config.smtp?.from ?? '')?.address.split('@')[1] ?? config.tenantDomain
  return {
    async send(trx, { userId, language: chosen, ...mail }) {
      const group = mailGroupOf(mail.template)
      const recipient = group && (await findMailRecipient(trx, { userId, address: mail.to, group }))
      if (recipient?.muted) return
      const language =
        chosen ??
        (await languageOfRecipient(trx, { address: mail.to, tenantId: mail.tenantId, userId })) ??
        defaultLanguage
      const written = typeof mail.values === 'function' ? mail.values(language) : mail.values
      const missing = missingValues(mail, written)
      if (missing.length > 0)
        throw new Error(`the mail ${mail.template} needs ${missing.join(', ')}`)
      const id = await insertMail(
        trx,
        {
          ...mail,
          values: { ...written, language, ...(recipient && { recipientId: recipient.id }) },
        },
        { host, now: clock.now() },
      )
      if (id !== undefined) await jobs.enqueueOutbox(id, 0, trx)
    },
  }
}

function missingValues(
  { template, bookingId }: Pick<OutgoingMail, 'template' | 'bookingId'>,
  values: MailValues,
): string[] {
  const later = (name: string) =>
    /^(product|tenant)\./.test(name) ||
    (bookingId !== undefined && name === 'link.manage') ||
    ['link.access', 'link.claim', 'link.confirm'].includes(name)
  return templateDefinition(template)
    .variables.map(({ name }) => name)
    .filter((name) => !later(name) && !(name in values))
}
