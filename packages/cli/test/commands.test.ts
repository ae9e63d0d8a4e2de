import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { passedOn } from '@atrium/setup/pass-on'
import { tenantIdOf } from '@atrium/testing/records'
import { insertServiceToken } from '@atrium/testing/service-tokens'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOperations } from '../src/operations.ts'
import { serverCommands } from '../src/server-commands.ts'
import { atrium, start } from './atrium.ts'

let testApp: TestApp
let server: Server
let folder: string
let env: Record<string, string>
let token: string
let reader: string
beforeAll(async () => {
  testApp = await startTestApp({ manyChanges: true })
  const tenantId = await tenantIdOf(testApp.database.db, 'acme')
  const owner = { kind: 'tenant', tenantId } as const
  token = (await insertServiceToken(testApp, owner, { name: 'Shell' })).token
  reader = (await insertServiceToken(testApp, owner, { scopes: ['members:read'] })).token
  server = createServer(testApp.app.listener)
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up))
  folder = await mkdtemp(join(tmpdir(), 'atrium-cli-'))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  env = {
    ATRIUM_CONFIG: join(folder, 'given/profiles.json'),
    ATRIUM_URL: url,
    ATRIUM_TOKEN: token,
    ATRIUM_TENANT: 'acme',
  }
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  await rm(folder, { recursive: true, force: true })
  await testApp[Symbol.asyncDispose]()
})

const json = async (...args: string[]) => {
  const { status, out, err } = await atrium([...args, '--json'], env)
  expect({ status, err }).toEqual({ status: 0, err: '' })
  return JSON.parse(out)
}

describe('a profile', () => {
  it('is stored for its owner alone, used, listed and deleted', async () => {
    const own = { ATRIUM_CONFIG: join(folder, 'own/profiles.json') }
    const { ATRIUM_URL: url = '' } = env
    const login = ['login', '--with-token', '--url', url, '--tenant', 'acme', '--profile', 'acme']
    expect(await atrium(login, own, `${token}\n`)).toMatchObject({
      status: 0,
      out: '',
      err: expect.stringContaining('Profile "acme": Shell, valid until'),
    })
    expect((await stat(own.ATRIUM_CONFIG)).mode & 0o777).toBe(0o600)
    expect(await atrium(['tenants', 'get'], own)).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^slug +acme$/m),
    })
    const listed = await atrium(['profiles', 'list', '--json'], own)
    expect(JSON.parse(listed.out)).toEqual({
      items: [{ name: 'acme', url, tenant: 'acme', with: 'token', current: true }],
    })
    expect(await atrium(['profiles', 'use', 'other'], own)).toMatchObject({ status: 64 })
    expect(await atrium(['tenants', 'get', '--profile', 'other'], own)).toMatchObject({
      status: 64,
    })
    // The token of one server is not sent to another one.
    const elsewhere = await atrium(['tenants', 'get', '--url', 'https://elsewhere.test'], own)
    expect(elsewhere).toMatchObject({ status: 64, err: expect.stringContaining('atrium login') })
    expect(await atrium(['logout'], own)).toMatchObject({ status: 0 })
    expect(await readFile(own.ATRIUM_CONFIG, 'utf8')).not.toContain('atr_')
    expect(await atrium(['tenants', 'get'], own)).toMatchObject({ status: 64 })
  })

  it('is not stored for a token that the server rejects', async () => {
    const own = { ATRIUM_CONFIG: join(folder, 'none/profiles.json') }
    const login = ['login', '--with-token', '--url', env.ATRIUM_URL ?? '']
    const wrong = token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
    expect(await atrium(login, own, wrong)).toMatchObject({ status: 77 })
    expect(await atrium(login, own, 'secret')).toMatchObject({ status: 64 })
    await expect(stat(own.ATRIUM_CONFIG)).rejects.toThrow('ENOENT')
  })

  it('that is damaged is named', async () => {
    const path = join(folder, 'damaged.json')
    await writeFile(path, '{')
    expect(await atrium(['tenants', 'get'], { ATRIUM_CONFIG: path })).toMatchObject({
      status: 64,
      err: expect.stringContaining(path),
    })
  })
})

describe('commands of the router', () => {
  it('list as a table and as JSON, page by page or all at once', async () => {
    const table = await atrium(['tenants', 'users', '--limit', '2'], env)
    expect(table).toMatchObject({ status: 0, err: expect.stringContaining('There may be more') })
    expect(table.out).toMatch(/^id +name +email/)
    expect((await json('tenants', 'users', '--limit', '1')).items).toHaveLength(1)
    expect((await json('tenants', 'users', '--limit', '1', '--all')).items).toHaveLength(3)
  })

  it('create, change and delete', async () => {
    const recipients = ['member@acme.test', 'owner@acme.test']
    const list = await json(
      ...[
        'lists',
        'create',
        '--address',
        'shell',
        '--name',
        'Shell',
        '--recipients',
        ...recipients,
      ],
    )
    expect(list.recipients.toSorted()).toEqual(recipients)
    const input = join(folder, 'change.json')
    await writeFile(input, '{"recipients":["owner@acme.test"]}')
    const changed = await json('lists', 'update', list.id, '--input', `@${input}`, '--name', 'One')
    expect(changed).toMatchObject({ name: 'One', recipients: ['owner@acme.test'] })
    expect(await atrium(['lists', 'remove', list.id], env)).toMatchObject({
      status: 0,
      out: '',
      err: expect.stringContaining('Done'),
    })
    expect(await atrium(['lists', 'get', list.id], env)).toMatchObject({ status: 66 })
  })

  it('end with a status for each kind of failure', async () => {
    const unknown = '0190a000-0000-7000-8000-000000000009'
    const status = async (args: string[], further: Record<string, string> = {}) =>
      (await atrium(args, { ...env, ...further })).status
    expect(await status(['nothing'])).toBe(64)
    expect(await status(['lists', 'create', '--name', 'A'])).toBe(64)
    expect(await status(['tenants', 'users', '--role', 'king'])).toBe(64)
    expect(await status(['tenants', 'users', '--limit', 'many'])).toBe(64)
    expect(await status(['tenants', 'users', '--limit', '9000'])).toBe(65)
    expect(await status(['lists', 'get', unknown])).toBe(66)
    expect(await status(['lists', 'list'], { ATRIUM_TOKEN: reader })).toBe(77)
    expect(await status(['tenants', 'get', '--tenant', 'globex'])).not.toBe(0)
    expect(await status(['api', 'get', 'https://elsewhere.test/'])).toBe(64)
  })

  it('say what was wrong, for people and for programs', async () => {
    const people = await atrium(['tenants', 'users', '--limit', '9000'], env)
    expect(people.err).toMatch(/\(invalid_input\)\n {2}limit: .+\n {2}request /)
    const programs = await atrium(['tenants', 'users', '--limit', '9000', '--json'], env)
    expect(JSON.parse(programs.err)).toMatchObject({ code: 'invalid_input' })
  })

  it('end with 69 without a server', async () => {
    const closed = { ...env, ATRIUM_URL: 'http://127.0.0.1:1' }
    const { status, err } = await atrium(['tenants', 'get'], closed)
    expect({ status, err }).toEqual({ status: 69, err: expect.stringContaining('fetch failed') })
  })

  it('watch until the work is done', async () => {
    const { status, out, err } = await atrium(['tenants', 'get', '--watch', '1'], env)
    expect({ status, shown: out.match(/^slug/gm)?.length }).toEqual({ status: 0, shown: 1 })
    expect(err).toMatch(/identity ok.* \(\d+ s\)/)
    expect(await atrium(['tenants', 'get', '--watch', 'x'], env)).toMatchObject({ status: 64 })
  })

  it('watch the work that a change leaves', async () => {
    const email = `watched@acme.${testApp.config.tenantDomain}`
    const create = ['members', 'create', '--email', email, '--role', 'member', '--watch', '1']
    const { status, out, err } = await atrium([...create, '--json'], env)
    expect({ status, err }).toEqual({ status: 0, err: expect.stringMatching(/identity ok/) })
    expect(out.match(/"oneTimePassword"/g)).toHaveLength(1)
    // The record is shown again only when it changed.
    expect(JSON.parse(out).member).toMatchObject({ email, outcomes: { identity: 'ok' } })
    const misspelt = await atrium([...create.slice(0, -1), '0'], env)
    expect(misspelt).toMatchObject({ status: 64, out: '' })
  })

  it('end with 130 when they are interrupted', async () => {
    const child = start(['tenants', 'users', '--watch'], env)
    const { stdout } = child
    if (!stdout) throw new Error('no output')
    await new Promise((shown) => stdout.once('data', shown))
    child.kill('SIGINT')
    expect(await new Promise((done) => child.once('exit', done))).toBe(130)
  })
})

describe('atrium api', () => {
  it('sends a request and prints the response', async () => {
    const { out } = await atrium(['api', 'get', '/tenants/acme/users?limit=1'], env)
    expect(JSON.parse(out).items).toHaveLength(1)
    const renamed = await atrium(
      ['api', 'PATCH', '/tenants/acme', '--data', '-', '--include'],
      env,
      '{"name":"Acme"}',
    )
    expect(renamed.out).toMatch(/^HTTP 200\n[\s\S]*etag: [\s\S]*"name":"Acme"/)
  })

  it('ends with the status of a rejection, and prints it', async () => {
    const { status, out } = await atrium(['api', 'get', '/tenants/acme/nothing'], env)
    expect({ status, code: JSON.parse(out).code }).toEqual({ status: 66, code: 'not_found' })
    expect(await atrium(['api', 'brew', '/'], env)).toMatchObject({ status: 64 })
  })
})

describe('atrium events tail', () => {
  it('prints what was and what happens', async () => {
    await json('tenants', 'update', '--name', 'Acme 2')
    const past = await atrium(['events', 'tail', '--no-follow', '--json'], env)
    expect(past).toMatchObject({ status: 0, err: '' })
    const events = past.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.at(-1)).toMatchObject({ type: 'tenant.updated', data: { tenant: 'acme' } })

    const child = start(['events', 'tail', '--after', events.at(-1).cursor], env)
    const { stdout } = child
    if (!stdout) throw new Error('no output')
    const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
    await json('tenants', 'update', '--name', 'Acme')
    expect((await lines.next()).value).toMatch(/ {2}tenant\.updated {2}acme {2}/)
    child.kill('SIGINT')
    expect(await new Promise((done) => child.once('exit', done))).toBe(130)
  })

  it('begins at the end with one request, and prints each event once after a lost connection', async () => {
    const asked: string[] = []
    const note = ({ url = '' }: { url?: string }) => void asked.push(url)
    server.on('request', note)
    const child = start(['events', 'tail'], env)
    const { stdout, stderr } = child
    if (!stdout || !stderr) throw new Error('no output')
    const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
    const notes = createInterface({ input: stderr })[Symbol.asyncIterator]()
    await expect.poll(() => asked.some((url) => url.startsWith('/events/stream'))).toBe(true)
    server.off('request', note)
    expect(asked.filter((url) => url.startsWith('/events?'))).toEqual(['/events?after=end'])
    await json('tenants', 'update', '--name', 'Before')
    expect((await lines.next()).value).toMatch(/ {2}tenant\.updated {2}acme {2}/)
    server.closeAllConnections()
    await json('tenants', 'update', '--name', 'Acme')
    expect((await notes.next()).value).toContain('continues behind the last event')
    const [, cursor = ''] = String((await lines.next()).value).split('  ')
    child.kill('SIGINT')
    await new Promise((done) => child.once('exit', done))
    const after = await json('events', 'list', '--after', cursor)
    expect(after.items).toEqual([])
    expect((await lines.next()).done).toBe(true)
  })

  it('ends for a cursor that is older than events are kept, and says so', async () => {
    const { status, err } = await atrium(['events', 'tail', '--after', '1-1-1'], env)
    expect({ status, err }).toEqual({ status: 66, err: expect.stringContaining('cursor_expired') })
  })

  it('lists all events page by page to the end', async () => {
    const listed = await json('events', 'list', '--limit', '1', '--all')
    expect(listed.items.length).toBeGreaterThan(1)
    const [first] = listed.items
    const rest = await json('events', 'list', '--limit', '1', '--all', '--after', first.cursor)
    expect(rest.items).toEqual(listed.items.slice(1))
  })

  it('ends when the token may not read events', async () => {
    const own = { ...env, ATRIUM_TOKEN: reader }
    expect(await atrium(['events', 'tail', '--no-follow'], own)).toMatchObject({ status: 77 })
  })
})

describe('the program', () => {
  it('has a command for each operation that a token can call', async () => {
    const operations = readOperations()
    expect(operations.length).toBeGreaterThan(200)
    const { out } = await atrium(['members', 'create', '--help'])
    expect(out).toMatch(
      /--role <role> .*"member", "admin"[\s\S]*Scopes: members:write, secrets:read\./,
    )
    expect(await atrium(['-V'])).toMatchObject({ status: 0, out: '0.1.0\n' })
  })

  it('completes commands, options and their words', async () => {
    const completed = async (...words: string[]) =>
      (await atrium(['complete', '--', ...words])).out
        .split('\n')
        .map((line) => line.split('\t')[0])
    expect(await completed('mem')).toContain('members')
    expect(await completed('members', '')).toContain('create')
    expect(await completed('members', 'create', '--ro')).toContain('--role')
    expect(await completed('members', 'create', '--role', '')).toEqual(
      expect.arrayContaining(['member', 'admin']),
    )
  })

  it('says where the commands of a server run', async () => {
    expect(serverCommands).toEqual(['setup', ...passedOn])
    const names = new Set(readOperations().map(({ name }) => name.split('.')[0]))
    expect(serverCommands.filter((name) => names.has(name))).toEqual([])
    expect(await atrium(['doctor', '--json'])).toMatchObject({
      status: 64,
      err: expect.stringContaining('runs on the server'),
    })
  })
})
