import { formatAmount } from '@atrium/core/billing/money'
import { seededNumbers } from '@atrium/core/demo/seeded-numbers'
import { mailRetrySeconds } from '@atrium/core/outbox/outbox'
import { failureText } from '@atrium/core/platform/failure-text'
import { insertMail } from '@atrium/db/outbox/outbox'
import type { Trx } from '@atrium/db/platform/connect'
import { idIn } from './companies.ts'
import type { Parts } from './parts.ts'
import { dayMs, hourMs, minuteMs } from './parts.ts'

/** Receipts and welcomes of the last four weeks, and a few that did not arrive. */
export async function insertMails(trx: Trx, { history, made }: Parts): Promise<void> {
  const since = new Date(history.until.getTime() - 28 * dayMs)
  const paid = await trx
    .selectFrom('invoices as i')
    .innerJoin('tenants as t', 't.id', 'i.tenant_id')
    .select([
      'i.id',
      'i.tenant_id',
      'i.number',
      'i.amount_paid',
      'i.currency',
      'i.paid_at',
      't.slug',
      't.billing_email',
    ])
    .where('i.paid_at', '>=', since)
    .orderBy('i.paid_at')
    .execute()
  const receipts = paid.map((invoice) => ({
    at: invoice.paid_at ?? since,
    tenantId: invoice.tenant_id,
    template: 'invoice.paid' as const,
    key: `invoice.paid:${invoice.id}:billing`,
    to: invoice.billing_email ?? `billing@${invoice.slug}.test`,
    values: {
      'invoice.number': invoice.number ?? '',
      'invoice.amount': formatAmount(BigInt(invoice.amount_paid), invoice.currency),
      'link.invoice': '',
    },
  }))
  const random = seededNumbers(51)
  const welcomes = history.companies
    .flatMap(({ slug, people }) => people.slice(-2).map((person) => ({ slug, person })))
    .map(({ slug, person }) => ({
      at: new Date(since.getTime() + random() * 27.5 * dayMs),
      tenantId: idIn(made.tenants, slug),
      template: 'member.welcome' as const,
      to: person.email,
      key: `history.welcome:${person.email}`,
      values: { 'member.name': person.name, 'member.email': person.email, 'link.signIn': '' },
    }))
  const mails = [...receipts, ...welcomes].sort(
    (one, other) => one.at.getTime() - other.at.getTime(),
  )
  for (const { at, ...mail } of mails) {
    const id = await insertMail(trx, mail, { host: 'tenants.local', now: at })
    const sentAt = new Date(at.getTime() + 4_000)
    if (id)
      await trx
        .updateTable('outbox')
        .set({ state: 'sent', attempts: 1, sent_at: sentAt, changed_at: sentAt, next_at: null })
        .where('id', '=', id)
        .execute()
  }
  const rejected = (status: number, words: string) =>
    failureText({
      system: 'smtp',
      call: 'send',
      kind: status < 500 ? 'server' : 'refused',
      status,
      more: `it replied "${status} ${words}"`,
    })
  const rejections = [
    rejected(550, '5.1.1 The email account that you tried to reach does not exist.'),
    rejected(550, '5.7.1 Message rejected due to the content restrictions of the recipient.'),
    rejected(552, '5.2.2 The mailbox is full.'),
  ]
  const ids = await trx
    .selectFrom('outbox')
    .select('id')
    .where('template', '=', 'member.welcome')
    .orderBy('id', 'desc')
    .limit(6)
    .execute()
  for (const [index, { id }] of ids.entries()) {
    const gaveUp = index % 2 === 1
    const changed = new Date(history.until.getTime() - (index + 1) * 53 * minuteMs)
    await trx
      .updateTable('outbox')
      .set({
        state: gaveUp ? 'gave_up' : 'failed',
        sent_at: null,
        changed_at: changed,
        created_at: new Date(changed.getTime() - 15 * hourMs),
        attempts: gaveUp ? mailRetrySeconds.length + 1 : mailRetrySeconds.length,
        next_at: gaveUp ? null : new Date(history.until.getTime() + 30 * hourMs),
        error: gaveUp
          ? rejections[(index - 1) / 2]
          : rejected(451, '4.7.1 Greylisted, please try again later.'),
      })
      .where('id', '=', id)
      .execute()
  }
}
