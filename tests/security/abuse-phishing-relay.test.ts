import { drainOutbox } from '@atrium/api/outbox/drain'
import { limits } from '@atrium/core/platform/limits'
import { caughtMails } from '@atrium/testing/mails'
import { recordMeasurement } from '@atrium/testing/measurements'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attack, createTally, unique } from './abuse.ts'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({
    mailer: true,
    sandbox: { identity: { accessTokenSeconds: 3_600 } },
  })
}, 120_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const link = 'https://bank.phish.example/login'

it('a self-registered account sends few mails to strangers, and none with a wording of its own', async () => {
  const token = await testApp.token('newcomer@example.test')
  const { body: tenant } = await testApp.request('POST', '/tenants', {
    token,
    body: { name: `Known Bank ${unique()}`, respondAsync: true },
  })
  const path = `/tenants/${tenant.slug}`
  const own = {
    subject: `Your account is locked ${link}`,
    html: `<a href="${link}">Unlock</a>`,
    text: `Unlock: ${link}`,
  }
  await testApp.request('PUT', `${path}/branding`, {
    token,
    body: {
      productName: 'Known Bank Security',
      emailTemplates: { 'member.welcome': own, 'member.invited': own },
    },
  })
  // Seats are money's to limit; here they are no hindrance.
  await testApp.database.db
    .updateTable('tenants')
    .set({ seats: 0 })
    .where('slug', '=', tenant.slug)
    .execute()
  const tally = createTally()
  const mark = unique()
  const outsiders = (n: number, count: number) =>
    Array.from({ length: count }, (_, one) => `stranger-${mark}-${n}-${one}@elsewhere.example`)
  const tried = await attack(70, async (n) => {
    const [email = ''] = outsiders(n, 1)
    if (n % 20 === 19) {
      const csv = `email,name\n${outsiders(n, 100)
        .map((address) => `${address},Unlock at ${link}`)
        .join('\n')}\n`
      tally.add(
        await testApp.request('POST', `${path}/user-imports`, {
          token,
          body: { csv, dryRun: false },
        }),
      )
    } else
      tally.add(
        await testApp.request('POST', `${path}/invitations`, {
          token,
          body: {
            invitees: [{ email, name: n % 2 ? `Unlock at ${link}` : 'Customer' }],
            message: `Unlock at ${link}`,
          },
        }),
      )
  })
  await expect
    .poll(
      async () =>
        (
          await testApp.database.db
            .selectFrom('member_imports')
            .select('id')
            .where('finished_at', 'is', null)
            .execute()
        ).length,
      {
        timeout: 60_000,
      },
    )
    .toBe(0)
    .catch(() => undefined)
  for (let n = 0; n < 20; n++) await drainOutbox(testApp.app.services)
  const mails = caughtMails(testApp).filter(({ envelope }) =>
    envelope.to.some((to) => to.includes(mark)),
  )
  const withLink = mails.filter((mail) =>
    JSON.stringify([mail.subject, mail.html, mail.text, mail.from]).includes('phish.example'),
  )
  const named = mails.filter((mail) =>
    JSON.stringify([mail.subject, mail.from]).includes('Known Bank Security'),
  )
  const most = limits.invitations_unproven_day.most
  await recordMeasurement({
    target: 'S23',
    what: 'phishing relay: a workplace with a known name, own texts, imports and members at strangers’ addresses',
    measured: `${tried} requests (${tally.text()}), ${mails.length} mails to strangers, at most ${most}; ${withLink.length} with a link of the attacker, ${named.length} under a product name of its own`,
    reached:
      mails.length <= most &&
      withLink.length === 0 &&
      named.length === 0 &&
      tally.failed().length === 0,
  })
  expect(mails.length).toBeGreaterThan(0)
  expect(mails.length).toBeLessThanOrEqual(most)
  expect(withLink.map(({ subject }) => subject)).toEqual([])
  expect(named).toEqual([])
  expect(tally.failed()).toEqual([])
}, 240_000)
