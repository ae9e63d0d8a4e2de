import { randomUUID } from 'node:crypto'
import type { OutgoingMail } from '@atrium/core/outbox/outbox'
import { mailRetrySeconds } from '@atrium/core/outbox/outbox'
import { smtp } from '@atrium/integrations/mailer/smtp'
import { startApi } from '@atrium/testing/api-process'
import { caughtMails } from '@atrium/testing/mails'
import { tenantIdOf } from '@atrium/testing/records'
import { proveDomain, startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { drainOutbox, eraseMails } from '../src/outbox/drain.ts'

let testApp: TestApp
let acmeId: string
let operator: string
let ahead = 0

beforeAll(async () => {
  testApp = await startTestApp({
    mailer: true,
    provisioned: false,
    sandbox: { identity: { accessTokenSeconds: 3600 } },
    clock: { now: () => new Date(Date.now() + ahead) },
    integrations: (connected, { smtp: server }) => ({
      ...connected,
      mailer:
        server &&
        smtp({ url: server.url, deadlineMs: 2_000, circuit: { failures: 10_000, openMs: 1 } }),
    }),
  })
  await proveDomain(testApp, 'acme', 'acme.example')
  operator = await testApp.token('operator@atrium.test')
  const { db } = testApp.database
  acmeId = await tenantIdOf(db, 'acme')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(async () => {
  ahead = 0
  testApp.sandbox.clearFaults()
  await testApp.database.db.deleteFrom('outbox').execute()
})

const values = {
  'member.name': 'Mira <b>Member</b>',
  'member.email': 'mira@acme.test',
  'link.signIn': 'https://portal.test/t/acme',
}
const welcome = (mail: Partial<OutgoingMail> = {}): OutgoingMail => ({
  tenantId: acmeId,
  template: 'member.welcome',
  to: 'mira@acme.test',
  name: 'Mira "M" <Member>',
  values,
  key: randomUUID(),
  ...mail,
})

async function queue(mail = welcome()): Promise<string> {
  await testApp.database.db
    .transaction()
    .execute((trx) => testApp.app.services.outbox.send(trx, mail))
  return (
    await testApp.database.db
      .selectFrom('outbox')
      .select('id')
      .where('key', '=', mail.key)
      .executeTakeFirstOrThrow()
  ).id
}

const drain = () => drainOutbox(testApp.app.services)
const stored = (id: string) =>
  testApp.database.db
    .selectFrom('outbox')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
const to = (address: string) =>
  caughtMails(testApp).filter((mail) => mail.envelope.to.includes(address))

describe('a queued mail', () => {
  it('goes out once, in the branding of the tenant, as text and HTML', async () => {
    const { db } = testApp.database
    await db
      .insertInto('brandings')
      .values({ tenant_id: acmeId, product_name: 'Acme "Desk" <x>', accent_color: '#116644' })
      .execute()
    const id = await queue(welcome({ to: 'once@acme.test' }))
    await drain()
    await drain()
    const mails = to('once@acme.test')
    expect(mails).toHaveLength(1)
    const [mail] = mails
    expect(mail).toMatchObject({
      subject: 'Welcome to Acme "Desk" <x>',
      from: { name: 'Acme Desk x', address: 'no-reply@atrium.test' },
      to: [{ name: 'Mira M Member', address: 'once@acme.test' }],
      messageId: `<${id}@atrium.test>`,
    })
    expect(mail?.headers).toContainEqual({ name: 'Auto-Submitted', value: 'auto-generated' })
    expect(mail?.html).toContain('Welcome, Mira &lt;b&gt;Member&lt;/b&gt;')
    expect(mail?.html).toContain('#116644')
    expect(mail?.text).toContain('https://portal.test/t/acme')
    expect(await stored(id)).toMatchObject({
      state: 'sent',
      attempts: 1,
      next_at: null,
      error: null,
    })
    await db.deleteFrom('brandings').execute()
  })

  it('has the name and the wording of the platform until the tenant proves a domain', async () => {
    const { db } = testApp.database
    const globexId = await tenantIdOf(db, 'globex')
    await db
      .insertInto('brandings')
      .values({ tenant_id: globexId, product_name: 'Your Bank' })
      .execute()
    const own = {
      subject: 'Your account is locked',
      html: null,
      text: 'Send your password to https://evil.example',
    }
    await db
      .insertInto('email_templates')
      .values({ tenant_id: globexId, key: 'member.welcome', ...own })
      .execute()
    await queue({ ...welcome({ to: 'victim@elsewhere.example' }), tenantId: globexId })
    await drain()
    const [mail] = to('victim@elsewhere.example')
    expect([mail?.from?.name, mail?.subject]).toEqual(['Atrium', 'Welcome to Atrium'])
    expect(mail?.text).not.toContain('evil.example')
    await proveDomain(testApp, 'globex', 'globex.example')
    await queue({ ...welcome({ to: 'own@globex.example' }), tenantId: globexId })
    await drain()
    const [proven] = to('own@globex.example')
    expect([proven?.from?.name, proven?.subject]).toEqual(['Your Bank', 'Your account is locked'])
  })

  it('is not sent when its transaction fails, and is queued once per key', async () => {
    const mail = welcome({ to: 'never@acme.test' })
    await expect(
      testApp.database.db.transaction().execute(async (trx) => {
        await testApp.app.services.outbox.send(trx, mail)
        throw new Error('the act failed')
      }),
    ).rejects.toThrow('the act failed')
    await drain()
    expect(to('never@acme.test')).toEqual([])
    await queue({ ...mail, to: 'first@acme.test' })
    await queue({ ...mail, to: 'second@acme.test' })
    await drain()
    expect([to('first@acme.test').length, to('second@acme.test').length]).toEqual([1, 0])
  })

  it('is rejected when the template would miss a value', async () => {
    const { 'member.email': _, ...incomplete } = values
    await expect(queue(welcome({ values: incomplete }))).rejects.toThrow(
      'the mail member.welcome needs member.email',
    )
  })

  it('of the platform bears its own name', async () => {
    await queue({
      tenantId: null,
      template: 'payout.paid',
      to: 'pia@north.test',
      key: randomUUID(),
      values: {
        'partner.name': 'North',
        'payout.amount': '1',
        'payout.statement': 'N-1',
        'payout.reference': '',
        'link.payouts': '',
      },
    })
    await drain()
    const [mail] = to('pia@north.test')
    expect(mail).toMatchObject({ subject: 'Payout of 1 to North', from: { name: 'Atrium' } })
    expect(mail?.html).not.toContain('href=""')
  })

  it('of an invitation that is no more is dropped, and has no link in the queue', async () => {
    const values = {
      'partner.name': 'North',
      'person.name': 'Pia',
      'inviter.name': 'Olga',
      'invitation.days': 7,
      invitationId: randomUUID(),
    }
    await queue({
      tenantId: null,
      template: 'partner.invited',
      to: 'gone@north.test',
      key: 'invitation-of-nobody',
      values,
    })
    await drain()
    expect(to('gone@north.test')).toEqual([])
    const { db } = testApp.database
    expect(
      await db
        .selectFrom('outbox')
        .select('id')
        .where('key', '=', 'invitation-of-nobody')
        .execute(),
    ).toEqual([])
  })

  it('goes out in the standard text when the own one can no longer be rendered', async () => {
    const { db } = testApp.database
    const text = {
      tenant_id: acmeId,
      key: 'member.welcome' as const,
      subject: 'Hi {{ gone.field }}',
      html: null,
      text: 'Hi',
    }
    await db.insertInto('email_templates').values(text).execute()
    await queue(welcome({ to: 'standard@acme.test' }))
    await drain()
    expect(to('standard@acme.test')).toMatchObject([
      { subject: expect.stringMatching(/^Welcome to/) },
    ])
    expect(testApp.logLines.join('\n')).toContain('failed to render the custom mail text')
    await db.deleteFrom('email_templates').execute()
  })

  it('is sent by one of several processes', async () => {
    const addresses = Array.from({ length: 30 }, (_, n) => `many${n}@acme.test`)
    for (const address of addresses) await queue(welcome({ to: address }))
    await Promise.all([drain(), drain(), drain()])
    const mails = caughtMails(testApp).filter((mail) => mail.envelope.to[0]?.startsWith('many'))
    expect(mails.map((mail) => mail.envelope.to[0]).sort()).toEqual([...addresses].sort())
  })
})

describe('a mail server that fails', () => {
  it.each([
    ['421 at the connection', { match: 'CONNECT', mode: 'error', status: 421 }],
    ['450 at the recipient', { match: 'RCPT', mode: 'error', status: 450 }],
    ['451 at the message', { mode: 'error', status: 451 }],
    ['a reset', { mode: 'reset' }],
    ['a reset after it took the message', { mode: 'reset', after: true }],
    ['silence after it took the message', { mode: 'timeout', after: true }],
  ] as const)('with %s gets the mail again, under the same Message-ID', async (name, fault) => {
    const address = `${name.replace(/\W/g, '')}@acme.test`
    testApp.sandbox.fault({ system: 'smtp', times: 1, ...fault })
    const id = await queue(welcome({ to: address }))
    await drain()
    const failed = await stored(id)
    expect(failed).toMatchObject({
      state: 'failed',
      attempts: 1,
      error: expect.stringMatching(/mail/),
    })
    for (const word of ['localhost', '127.0.0.1', 'ECONN']) expect(failed.error).not.toContain(word)
    await drain()
    expect(await stored(id)).toMatchObject({ state: 'failed', attempts: 1 })
    ahead = 61_000
    await drain()
    expect(await stored(id)).toMatchObject({ state: 'sent', attempts: 2, error: null })
    const ids = to(address).map((mail) => mail.messageId)
    expect(ids).toEqual(Array('after' in fault ? 2 : 1).fill(`<${id}@atrium.test>`))
  })

  it('delays no other mail while one gets no response', async () => {
    testApp.sandbox.fault({ system: 'smtp', times: 1, mode: 'timeout', after: true })
    const mails = 25
    for (let n = 0; n < mails; n++) await queue(welcome({ to: `beside${n}@acme.test` }))
    const drained = drain()
    const states = async () => {
      const { rows } = await sql<{ state: string; count: number }>`
        select state, count(*)::int as count from outbox group by state`.execute(
        testApp.database.db,
      )
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
    }
    await expect
      .poll(states, { timeout: 10_000, interval: 20 })
      .toEqual({ sent: mails - 1, sending: 1 })
    await drained
    expect(await states()).toEqual({ sent: mails - 1, failed: 1 })
  })

  it.each([
    ['550 at the recipient', { match: 'RCPT', mode: 'error', status: 550 }],
    ['554 at the message', { mode: 'error', status: 554 }],
  ] as const)('with %s has said no for good', async (_, fault) => {
    testApp.sandbox.fault({ system: 'smtp', times: 1, ...fault })
    const id = await queue()
    await drain()
    const { error } = await stored(id)
    expect(await stored(id)).toMatchObject({ state: 'gave_up', attempts: 1, next_at: null })
    expect(error).toContain(
      `rejected the request: it replied "${fault.status} Requested action not taken".`,
    )
    expect(testApp.logLines.join('\n')).toContain('mail failed permanently')
  })

  it('is tried after 1, 5, 30, 120 and 720 minutes, and then no more', async () => {
    testApp.sandbox.fault({ system: 'smtp', mode: 'error', status: 451 })
    const id = await queue(welcome({ to: 'down@acme.test' }))
    const waits: number[] = []
    for (const seconds of mailRetrySeconds) {
      const before = Date.now() + ahead
      await drain()
      const { next_at: next } = await stored(id)
      waits.push(Math.floor(((next?.getTime() ?? 0) - before) / 1000))
      ahead += (seconds - 5) * 1000
      await drain()
      expect((await stored(id)).attempts).toBe(waits.length)
      ahead += 6_000
    }
    expect(waits).toEqual([60, 300, 1_800, 7_200, 43_200])
    await drain()
    expect(await stored(id)).toMatchObject({ state: 'gave_up', attempts: 6, next_at: null })
    const counted =
      await testApp.app.services.metrics.registry.getSingleMetricAsString('outbox_mails_total')
    expect(counted).toMatch(/outcome="gave_up"} \d/)
    expect(to('down@acme.test')).toEqual([])
  })
})

describe('a mail that has to wait for its turn', () => {
  it('is not sent where its lease could lapse meanwhile, but by the next run', async () => {
    const turn = Promise.withResolvers<void>()
    const others = Array.from({ length: 20 }, () =>
      testApp.app.services.keyedLimiter.take('mails', () => turn.promise, 20),
    )
    const id = await queue(welcome({ to: 'waits@acme.test' }))
    const drained = drain()
    await expect.poll(async () => (await stored(id)).state).toBe('sending')
    const now = performance.now.bind(performance)
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 33_000)
    turn.resolve()
    await Promise.all([drained, ...others]).finally(() => later.mockRestore())
    expect(to('waits@acme.test')).toEqual([])
    expect(await stored(id)).toMatchObject({
      state: 'queued',
      attempts: 0,
      run: null,
      lease_until: null,
    })
    await drain()
    expect(to('waits@acme.test')).toHaveLength(1)
    expect(await stored(id)).toMatchObject({ state: 'sent', attempts: 1, error: null })
  })
})

describe('GET /outbox and POST /outbox/{id}/retry', () => {
  it('show the queue without what it says and to whom, and send again', async () => {
    testApp.sandbox.fault({ system: 'smtp', times: 1, match: 'RCPT', mode: 'error', status: 550 })
    const id = await queue(welcome({ to: 'secret.person@acme.test' }))
    await drain()
    const list = await testApp.request('GET', '/outbox?state=gave_up&q=welcome', {
      token: operator,
    })
    expect(list).toMatchObject({
      status: 200,
      body: {
        items: [
          {
            id,
            template: 'member.welcome',
            tenantSlug: 'acme',
            recipient: 's…@acme.test',
            state: 'gave_up',
            nextAt: null,
          },
        ],
        nextCursor: null,
        summary: { sending: 'on', waiting: 0, failed: 0, gaveUp: 1 },
      },
    })
    expect(JSON.stringify(list.body)).not.toMatch(/secret\.person|Mira/)
    expect(
      (await testApp.request('GET', '/outbox?q=payout', { token: operator })).body.items,
    ).toEqual([])
    expect(
      (await testApp.request('GET', '/outbox?tenantSlug=globex', { token: operator })).body.items,
    ).toEqual([])
    expect(await testApp.request('POST', `/outbox/${id}/retry`, { token: operator })).toMatchObject(
      {
        status: 200,
        body: { id, state: 'queued', attempts: 0, error: null },
      },
    )
    await drain()
    expect(to('secret.person@acme.test')).toHaveLength(1)
    expect(await testApp.request('POST', `/outbox/${id}/retry`, { token: operator })).toMatchObject(
      {
        status: 409,
        body: { code: 'mail_sent' },
      },
    )
    expect(
      await testApp.request('POST', `/outbox/${randomUUID()}/retry`, { token: operator }),
    ).toMatchObject({ status: 404 })
    const { body: audit } = await testApp.request('GET', '/audit?action=outbox.retried', {
      token: operator,
    })
    expect(audit.items).toMatchObject([
      { resourceId: id, actorType: 'operator', metadata: { state: 'gave_up' } },
    ])
    expect(JSON.stringify(audit)).not.toContain('secret.person')
  })

  it('erase recipient and values after thirty days, and cannot send then', async () => {
    testApp.sandbox.fault({ system: 'smtp', times: 1, match: 'RCPT', mode: 'error', status: 550 })
    const lost = await queue()
    await drain()
    const sent = await queue()
    await drain()
    ahead = 29 * 86_400_000
    await eraseMails(testApp.app.services)
    expect(await stored(sent)).toMatchObject({ recipient: 'mira@acme.test', values })
    ahead = 31 * 86_400_000
    const fresh = await queue()
    await eraseMails(testApp.app.services)
    for (const id of [lost, sent])
      expect(await stored(id)).toMatchObject({ recipient: null, recipient_name: null, values: {} })
    expect(await stored(fresh)).toMatchObject({ recipient: 'mira@acme.test' })
    ahead = 0
    const response = await testApp.request('POST', `/outbox/${lost}/retry`, { token: operator })
    expect(response).toMatchObject({ status: 409, body: { code: 'mail_erased' } })
    expect(
      (await testApp.request('GET', '/outbox?state=sent', { token: operator })).body.items,
    ).toMatchObject([{ id: sent, recipient: null }])
  })
})

describe('a test app without a mail server', () => {
  it('keeps its mails, says so, and sends them once it has one', async () => {
    await using off = await startTestApp({ provisioned: false, started: true })
    const { db } = off.database
    await db
      .transaction()
      .execute((trx) =>
        off.app.services.outbox.send(trx, welcome({ tenantId: null, to: 'later@acme.test' })),
      )
    await drainOutbox(off.app.services)
    expect(await off.app.readiness()).toMatchObject({
      ready: true,
      integrations: { mailer: { state: 'off' } },
      outbox: {
        sending: 'off',
        waiting: 1,
        failed: 0,
        gaveUp: 0,
        oldestWaiting: expect.any(String),
      },
    })
    await off.app.stop()
    await using process = await startApi(off, {
      SMTP_URL: off.sandbox.smtpUrl,
      SMTP_FROM: 'Atrium <no-reply@atrium.test>',
    })
    await expect
      .poll(() => caughtMails(off).map((mail) => mail.envelope.to[0]), { timeout: 20_000 })
      .toEqual(['later@acme.test'])
    expect(process.log.join('\n')).not.toContain('later@acme.test')
  }, 60_000)
})

describe('a process that is killed while it sends', () => {
  it('leaves a mail that another one sends, under the same Message-ID', async () => {
    await using fresh = await startTestApp({ provisioned: false, mailer: true })
    const { db } = fresh.database
    fresh.sandbox.fault({ system: 'smtp', mode: 'timeout', after: true, times: 1 })
    const first = await startApi(fresh)
    await db
      .transaction()
      .execute((trx) =>
        fresh.app.services.outbox.send(trx, welcome({ tenantId: null, to: 'killed@acme.test' })),
      )
    await expect.poll(() => caughtMails(fresh).length, { timeout: 20_000 }).toBe(1)
    first.signal('SIGKILL')
    await first.ended
    expect(await db.selectFrom('outbox').select('state').execute()).toEqual([{ state: 'sending' }])
    await drainOutbox(fresh.app.services)
    expect(caughtMails(fresh)).toHaveLength(1)
    await db
      .updateTable('outbox')
      .set({ lease_until: new Date(Date.now() - 1_000) })
      .execute()
    await using _second = await startApi(fresh)
    await expect
      .poll(async () => (await db.selectFrom('outbox').select('state').execute())[0]?.state, {
        timeout: 20_000,
      })
      .toBe('sent')
    const ids = caughtMails(fresh).map((mail) => mail.messageId)
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
  }, 90_000)
})
