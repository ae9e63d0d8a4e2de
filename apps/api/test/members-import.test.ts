import type { ImportRow } from '@atrium/core/members/member-import'
import { invite } from '@atrium/testing/invitations'
import { setTenantStatus } from '@atrium/testing/mailboxes'
import {
  identityUser,
  type MembersTestApp,
  mailbox,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

const start = (csv: string, dryRun = false) =>
  testApp.call('POST', '/user-imports', { csv, dryRun })
const read = async (id: string, rows = 'all') =>
  (await testApp.call('GET', `/user-imports/${id}?rows=${rows}`)).body
const finished = (id: string) =>
  expect.poll(async () => (await read(id, 'none')).state, { timeout: 30_000 }).toBe('done')

describe('why a row was rejected', () => {
  const reasonsIn = async (language: string, id: string) => {
    const { body } = await testApp.request('GET', `/tenants/acme/user-imports/${id}`, {
      token: testApp.as.owner,
      headers: { 'accept-language': language },
    })
    return body.rows.map(({ message, issues }: ImportRow) => [message, issues[0]?.message])
  }

  it('is in the language of whoever reads it', async () => {
    const { body } = await start('email,name,role\nlang1,One,member\nlang1,Two,\nlang3,Three,boss')
    await finished(body.id)
    expect(await reasonsIn('de', body.id)).toEqual([
      [null, undefined],
      [expect.stringContaining('Zeile 2'), undefined],
      [expect.stringContaining('Felder'), expect.stringContaining('Verwenden Sie einen')],
    ])
    expect(await reasonsIn('en', body.id)).toEqual([
      [null, undefined],
      [expect.stringContaining('Line 2'), undefined],
      [expect.stringContaining('fields'), expect.stringContaining('Use one of')],
    ])
  })

  it('stays in English where an earlier version stored it', async () => {
    const { body } = await start('email,name\nlang4,Four\nlang4,Again')
    await finished(body.id)
    await testApp.database.db
      .updateTable('member_import_rows')
      .set({ text: null, message: 'As it was.' })
      .where('import_id', '=', body.id)
      .where('line', '=', 3)
      .execute()
    expect((await reasonsIn('de', body.id))[1]).toEqual(['As it was.', undefined])
  })
})

describe('a dry run', () => {
  it('judges every row and makes nothing', async () => {
    const before = (await testApp.call('GET', '')).body.memberCount
    const csv = [
      'email,name,role,phone',
      'dry1,Dry One,member,+49 30 1',
      'dry1@acme.tenants.local,Twice,,',
      'member@acme.test,Known,,',
      'mára,Accent,,',
      'boss,Boss,owner,nonsense',
      ',Nobody,,',
      'x@globex.tenants.local,Foreign,,',
      '"dry2","Two, Dry",admin,',
    ].join('\r\n')
    const { status, body } = await start(csv, true)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: null,
      dryRun: true,
      state: 'checked',
      counts: { total: 8, ready: 3, refused: 5, created: 0 },
    })
    expect(
      body.rows.map((row: { line: number; state: string; code: string }) => [
        row.line,
        row.state,
        row.code,
      ]),
    ).toEqual([
      [2, 'ready', null],
      [3, 'refused', 'email_taken'],
      [4, 'refused', 'email_taken'],
      [5, 'refused', 'invalid_input'],
      [6, 'refused', 'invalid_input'],
      [7, 'refused', 'invalid_input'],
      // Invited: only a person of the other tenant's domain can accept.
      [8, 'ready', null],
      [9, 'ready', null],
    ])
    expect(body.rows[4].issues.map(({ path }: { path: string }) => path).sort()).toEqual([
      'phone',
      'role',
    ])
    expect(body.rows[1].message).toContain('Line 2')
    expect((await testApp.call('GET', '')).body.memberCount).toBe(before)
    expect(await identityUser(testApp, 'dry1@acme.tenants.local')).toBeUndefined()
  })

  it('judges an address outside as the invitation would', async () => {
    const email = 'dry-invited@elsewhere.example'
    const csv = `email\n${email}\n`
    expect((await start(csv, true)).body.rows).toMatchObject([{ state: 'ready', code: null }])
    await invite(testApp, 'acme', { email }, testApp.as.admin)
    const rejected = { state: 'refused', code: 'email_taken' }
    const dry = (await start(csv, true)).body.rows
    expect(dry).toMatchObject([rejected])
    expect(dry[0].message).toContain('was already invited')
    // The same answer as that of the real run.
    expect((await invite(testApp, 'acme', { email }, testApp.as.admin)).body).toMatchObject({
      code: 'email_taken',
      message: dry[0].message,
    })
    await testApp.database.db.deleteFrom('invitations').where('email', '=', email).execute()
  })

  it('counts the rows before against the seats', async () => {
    const { db } = testApp.database
    const { memberCount } = (await testApp.call('GET', '')).body
    await db
      .updateTable('tenants')
      .set({ seats: memberCount + 1 })
      .where('slug', '=', 'acme')
      .execute()
    const { body } = await start('email\nseat-a\nseat-b\n', true)
    await db.updateTable('tenants').set({ seats: 0 }).where('slug', '=', 'acme').execute()
    expect(body.rows.map((row: { code: string }) => row.code)).toEqual([null, 'seats_exhausted'])
  })

  it.each([
    ['a quote that is never closed', 'email,name\na,"never closed\nb,c\n', 'Line 2'],
    ['a quote in the middle', 'email,name\na,x"y\n', 'Line 2'],
    ['text behind a quote', 'email,name\na,"x"y\n', 'Line 2'],
    ['an unknown column', 'email,salary\na,1\n', 'salary'],
    ['no address column', 'name\nA\n', 'email'],
    ['too many values', 'email\na,b\n', 'Line 2'],
    ['no rows', 'email\n', 'no row'],
  ])('refuses a text with %s, and says where', async (_, csv, where) => {
    expect(await start(csv, true)).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_input',
        issues: [{ path: 'csv', message: expect.stringContaining(where) }],
      },
    })
  })
})

describe('an import', () => {
  it('makes the good rows, shows progress, gives out no password and says that one is needed', async () => {
    const rows = Array.from(
      { length: 12 },
      (_, n) => `imp${n};Import ${n};${n === 0 ? 'admin' : ''}`,
    )
    const { body } = await start(
      `\ufeffemail;name;role\n${rows.join('\n')}\nmember@acme.test;Known;\n`,
    )
    expect(body).toMatchObject({
      dryRun: false,
      state: expect.stringMatching(/^(running|done)$/),
      counts: { total: 13, refused: 1 },
    })
    await finished(body.id)
    const done = await read(body.id)
    expect(done).toMatchObject({
      counts: { created: 12, refused: 1, ready: 0, running: 0 },
      finishedAt: expect.any(String),
    })
    expect(JSON.stringify(done)).not.toMatch(/password/i)
    const member = await testApp.member(done.rows[0].userId)
    expect(member).toMatchObject({
      status: 'active',
      role: 'admin',
      name: 'Import 0',
      needsPassword: true,
    })
    expect(mailbox(testApp, member.email)).toBeDefined()
    expect((await read(body.id, 'problems')).rows).toHaveLength(1)
    const { body: reset } = await testApp.call('POST', `/users/${member.id}/reset-password`)
    expect(reset).toMatchObject({
      member: { needsPassword: false },
      outcomes: { identity: { state: 'ok' }, mail: { state: 'ok' } },
    })
  })

  it('tells of a row whose upstream systems failed', async () => {
    testApp.sandbox.fault({ system: 'mail', match: 'x:Account/set', mode: 'error' })
    const { body } = await start('email\nhalf-done\n')
    await finished(body.id)
    expect((await read(body.id)).rows).toMatchObject([
      {
        state: 'incomplete',
        message: expect.stringContaining('mail server'),
        userId: expect.any(String),
      },
    ])
  })

  it('stops while the tenant rests, and goes on when told to', async () => {
    testApp.sandbox.fault({ system: 'identity', mode: 'latency', delayMs: 40 })
    const { body } = await start(
      `email\n${Array.from({ length: 20 }, (_, n) => `rest${n}`).join('\n')}\n`,
    )
    await expect
      .poll(async () => (await read(body.id, 'none')).counts.created, { timeout: 20_000 })
      .toBeGreaterThan(0)
    await setTenantStatus(testApp, 'acme', 'suspended')
    await expect
      .poll(async () => (await read(body.id, 'none')).state, { timeout: 10_000 })
      .toBe('stopped')
    expect((await read(body.id, 'none')).counts.ready).toBeGreaterThan(0)
    expect(await testApp.call('POST', `/user-imports/${body.id}/resume`)).toMatchObject({
      status: 409,
      body: { code: 'tenant_suspended' },
    })
    await setTenantStatus(testApp, 'acme', 'active')
    testApp.sandbox.clearFaults()
    expect((await testApp.call('POST', `/user-imports/${body.id}/resume`)).status).toBe(200)
    await finished(body.id)
    expect((await read(body.id, 'none')).counts).toMatchObject({ created: 20 })
  })

  it('whose process died in the middle of a row is carried on, and the row makes one member', async () => {
    const { body } = await start('email\ntorn\n')
    await finished(body.id)
    const { userId } = (await read(body.id)).rows[0]
    const { db } = testApp.database
    // As it stands when a process is killed after the record: the row names the member, nothing
    // outside is done.
    await testApp.call('POST', `/users/${userId}/suspend`)
    await db
      .updateTable('memberships')
      .set({
        status: 'provisioning',
        identity_state: 'pending',
        mail_state: 'pending',
        files_state: 'pending',
        next_at: null,
      })
      .where('user_id', '=', userId)
      .execute()
    await db
      .updateTable('member_import_rows')
      .set({ state: 'running' })
      .where('import_id', '=', body.id)
      .execute()
    await db
      .updateTable('member_imports')
      .set({ finished_at: null, lease_until: new Date(Date.now() - 1000) })
      .where('id', '=', body.id)
      .execute()
    expect(await read(body.id, 'none')).toMatchObject({ state: 'stopped', counts: { running: 1 } })
    await testApp.call('POST', `/user-imports/${body.id}/resume`)
    await finished(body.id)
    expect((await read(body.id)).rows).toMatchObject([{ state: 'created', userId }])
    expect(await testApp.member(userId)).toMatchObject({
      status: 'active',
      outcomes: { identity: 'ok', mail: 'ok', files: 'ok' },
    })
  })

  it('makes nobody from the moment on in which whoever asked for it loses the right', async () => {
    const { member } = await testApp.newMember({ role: 'admin' })
    const token = await testApp.token(member.email)
    testApp.sandbox.fault({ system: 'identity', mode: 'latency', delayMs: 40 })
    const csv = `email,role\n${Array.from({ length: 24 }, (_, n) => `right${n},admin`).join('\n')}\n`
    const { body } = await testApp.call('POST', '/user-imports', { csv, dryRun: false }, token)
    await expect
      .poll(async () => (await read(body.id, 'none')).counts.created, { timeout: 20_000 })
      .toBeGreaterThan(0)
    expect((await testApp.call('POST', `/users/${member.id}/suspend`)).status).toBe(200)
    const made = async () =>
      (await read(body.id)).rows.filter((row: { userId: string | null }) => row.userId !== null)
        .length
    const madeBefore = await made()
    await finished(body.id)
    const { counts, rows } = await read(body.id)
    expect(counts.created).toBe(madeBefore)
    expect(counts.refused).toBe(24 - madeBefore)
    expect(counts.refused).toBeGreaterThan(0)
    const refused = rows.filter((row: { state: string }) => row.state === 'refused')
    expect(refused.map((row: { code: string }) => row.code)).toEqual(refused.map(() => 'not_admin'))
  }, 60_000)

  it('continues with the permissions of the person who resumes it', async () => {
    const { body } = await start('email\nresumed-right\n')
    await finished(body.id)
    const { db } = testApp.database
    await db
      .updateTable('member_import_rows')
      .set({ state: 'ready', user_id: null, fields: sql`'{"email":"resumed-right2"}'::jsonb` })
      .where('import_id', '=', body.id)
      .execute()
    await db
      .updateTable('member_imports')
      .set({ finished_at: null, requester_id: await testApp.idOf('member@acme.test') })
      .where('id', '=', body.id)
      .execute()
    expect((await testApp.call('POST', `/user-imports/${body.id}/resume`)).status).toBe(200)
    await finished(body.id)
    expect((await read(body.id, 'none')).counts).toMatchObject({ created: 1, refused: 0 })
  })

  it('ends before the next row when another run has taken its lease, and that one makes every row once', async () => {
    testApp.sandbox.fault({ system: 'identity', mode: 'latency', delayMs: 60 })
    const { body } = await start(
      `email\n${Array.from({ length: 24 }, (_, n) => `lease${n}`).join('\n')}\n`,
    )
    await expect
      .poll(async () => (await read(body.id, 'none')).counts.created, { timeout: 20_000 })
      .toBeGreaterThan(0)
    const { db } = testApp.database
    const imported = db.updateTable('member_imports').where('id', '=', body.id)
    const left = async () => (await read(body.id, 'none')).counts.ready
    await imported
      .set({ run: sql<string>`new_id()`, lease_until: sql<Date>`now() + interval '1 hour'` })
      .execute()
    const leftThen = await left()
    expect(leftThen).toBeGreaterThan(5)
    testApp.sandbox.clearFaults()
    // Those that the first run has in hand: three at most, whose members were made before the lease
    // was lost.
    await expect
      .poll(
        async () => {
          const held = db
            .selectFrom('memberships')
            .select('user_id')
            .where('tenant_id', '=', testApp.acmeId)
            .where('run', 'is not', null)
          return (await held.execute()).length
        },
        { timeout: 20_000 },
      )
      .toBe(0)
    expect(await left()).toBe(leftThen)
    await imported.set({ run: null, lease_until: null }).execute()
    expect((await testApp.call('POST', `/user-imports/${body.id}/resume`)).status).toBe(200)
    await finished(body.id)
    expect((await read(body.id, 'none')).counts).toMatchObject({ total: 24, created: 24 })
  }, 60_000)

  it('tells the truth of every row after lost connections, and makes each of them once', async () => {
    testApp.sandbox.fault({ system: 'identity', mode: 'latency', delayMs: 20 })
    const { body } = await start(
      `email\n${Array.from({ length: 15 }, (_, n) => `lost${n}`).join('\n')}\n`,
    )
    const { db } = testApp.database
    const severed = () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and usename = current_user and pid <> pg_backend_pid() and state is not null`
        .execute(db)
        .catch(() => undefined)
    const state = () => read(body.id, 'none').catch(() => ({ state: undefined }))
    for (let round = 0; round < 12; round++) {
      await severed()
      await new Promise((done) => setTimeout(done, 60))
      if ((await state()).state === 'stopped')
        await testApp.call('POST', `/user-imports/${body.id}/resume`)
    }
    testApp.sandbox.clearFaults()
    await expect
      .poll(
        async () => {
          const { state: now } = await state()
          if (now === 'stopped') await testApp.call('POST', `/user-imports/${body.id}/resume`)
          return now
        },
        { timeout: 45_000 },
      )
      .toBe('done')
    const { counts, rows } = await read(body.id)
    expect(rows.filter((row: { state: string }) => row.state === 'refused')).toEqual([])
    expect(counts.created + counts.incomplete).toBe(15)
    const made = await db
      .selectFrom('users')
      .select('id')
      .where('email', 'like', 'lost%@acme.tenants.local')
      .execute()
    expect(made).toHaveLength(15)
  }, 90_000)

  it('is resumed by the job engine when it is unclaimed', async () => {
    await using started = await startMembersTestApp({ started: true })
    const { db } = started.database
    const { body } = await started.call('POST', '/user-imports', {
      csv: 'email\nby-engine\n',
      dryRun: false,
    })
    await expect
      .poll(async () => (await started.call('GET', `/user-imports/${body.id}`)).body.state, {
        timeout: 20_000,
      })
      .toBe('done')
    await db
      .updateTable('member_import_rows')
      .set({
        state: 'ready',
        fields: sql`jsonb_set(fields, '{email}', '"by-engine-2"')`,
        user_id: null,
      })
      .where('import_id', '=', body.id)
      .execute()
    await db
      .updateTable('member_imports')
      .set({ finished_at: null })
      .where('id', '=', body.id)
      .execute()
    await sql`insert into jobs.job (name) values ('member-sweep') on conflict do nothing`.execute(
      db,
    )
    await sql`update jobs.job set start_after = now() where name = 'member-sweep' and state = 'created'`.execute(
      db,
    )
    await expect
      .poll(async () => (await started.call('GET', `/user-imports/${body.id}`)).body.state, {
        timeout: 25_000,
      })
      .toBe('done')
    expect(mailbox(started, 'by-engine-2@acme.tenants.local')).toBeDefined()
  }, 60_000)

  it('is no business of another tenant', async () => {
    const { body } = await start('email\nown-only\n')
    await finished(body.id)
    expect(
      await testApp.request('GET', `/tenants/globex/user-imports/${body.id}`, {
        token: testApp.as.outsider,
      }),
    ).toMatchObject({
      status: 404,
    })
  })
})
