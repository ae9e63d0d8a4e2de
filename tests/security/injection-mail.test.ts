import { randomUUID } from 'node:crypto'
import { drainOutbox } from '@atrium/api/outbox/drain'
import { type CaughtMail, caughtMails } from '@atrium/testing/mails'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { tenantIdOf } from '@atrium/testing/records'
import { proveDomain, startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anyText, lineText, sample } from './hostile-texts.ts'

let testApp: TestApp
let acmeId: string
beforeAll(async () => {
  testApp = await startTestApp({ mailer: true, provisioned: false, manyChanges: true })
  acmeId = await tenantIdOf(testApp.database.db, 'acme')
  // A workplace without a verified domain has names that hold a link left out of its mails.
  await proveDomain(testApp, 'acme', 'acme.example')
})
afterAll(() => testApp[Symbol.asyncDispose]())

/** The queue is JSON in PostgreSQL, which holds neither of the two. */
const storable = (text: string) => text.toWellFormed().replaceAll('\u0000', '')
const lineEnds = (text: string) => text.replace(/\r\n?/g, '\n')
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

const known = new Set([
  'from',
  'to',
  'subject',
  'auto-submitted',
  'message-id',
  'date',
  'mime-version',
  'content-type',
])

function faultsOf(mail: CaughtMail, address: string, name: string): string[] {
  const faults: string[] = []
  if (mail.envelope.to.join() !== address) faults.push(`goes to ${mail.envelope.to.join()}`)
  if (mail.to.map((to) => to.address).join() !== address)
    faults.push(`To ${mail.to.map((to) => to.address).join()}`)
  const headers = mail.headers.map((header) => header.name.toLowerCase())
  if (headers.length !== known.size || headers.some((header) => !known.has(header)))
    faults.push(`headers ${headers.join()}`)
  if (/[\r\n]/.test(mail.subject) || mail.headers.some(({ value }) => /[\r\n]\S/.test(value)))
    faults.push('a header of two lines')
  if (!lineEnds(mail.text ?? '').includes(lineEnds(name)))
    faults.push(`text ${JSON.stringify(mail.text)}`)
  if (!lineEnds(mail.html ?? '').includes(lineEnds(escaped(name)))) faults.push('another HTML')
  if (mail.attachments.length > 0) faults.push('an attachment')
  return faults
}

it('sends each mail to its one recipient, with its own headers and with the text as it was', async () => {
  const count = rounds(60, 10_000)
  const atOnce = 60
  const { db } = testApp.database
  const wrong: string[] = []
  const waitingMails = () =>
    db
      .selectFrom('outbox')
      .select(['state', 'attempts', 'error'])
      .where('state', '<>', 'sent')
      .execute()
  let caught = 0
  const names = sample(anyText, count, 11).map((text, n) => `${storable(text)} ${n}`)
  const products = sample(lineText, Math.ceil(count / atOnce), 12)
  for (let start = 0; start < count; start += atOnce) {
    const product = (products[start / atOnce] ?? '').normalize('NFC').trim().slice(0, 60)
    await db
      .insertInto('brandings')
      .values({ tenant_id: acmeId, product_name: product })
      .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ product_name: product }))
      .execute()
    const batch = names.slice(start, start + atOnce)
    await db.transaction().execute(async (trx) => {
      for (const [index, name] of batch.entries()) {
        const values = {
          'member.name': name,
          'member.email': 'mira@acme.test',
          'link.signIn': 'https://portal.test/t/acme',
        }
        const to = `mira-${start + index}@acme.test`
        await testApp.app.services.outbox.send(trx, {
          tenantId: acmeId,
          template: 'member.welcome',
          to,
          name,
          values,
          key: randomUUID(),
        })
      }
    })
    await drainOutbox(testApp.app.services)
    expect(await waitingMails()).toEqual([])
    const mails = caughtMails(testApp)
    caught += mails.length
    for (const [index, name] of batch.entries()) {
      const address = `mira-${start + index}@acme.test`
      const [mail, ...more] = mails.filter((one) => one.envelope.to.includes(address))
      const faults =
        !mail || more.length > 0
          ? [`${more.length + Number(mail !== undefined)} mails`]
          : faultsOf(mail, address, name)
      wrong.push(...faults.map((fault) => `${JSON.stringify([name, product])}: ${fault}`))
    }
    testApp.sandbox.smtp.reset()
    await db.deleteFrom('outbox').execute()
  }
  await recordMeasurement({
    target: 'S8',
    what: 'names in mails, and product names of their sender, through queue and SMTP',
    measured: `${count} mails, ${caught} caught, ${wrong.length} with another header, recipient or text`,
    reached: caught === count && wrong.length === 0,
  })
  expect(wrong.slice(0, 3)).toEqual([])
  expect(caught).toBe(count)
})
