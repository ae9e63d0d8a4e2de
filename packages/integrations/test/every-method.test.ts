import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { CallReport } from '../src/call-policy.ts'
import { opencloud } from '../src/files/opencloud.ts'
import type { FileStorage } from '../src/files/port.ts'
import type { HttpClientOptions } from '../src/http-client.ts'
import { authentik } from '../src/identity/authentik.ts'
import type { IdentityProvider } from '../src/identity/port.ts'
import { UpstreamError, type UpstreamSystem } from '../src/upstream-error.ts'
import { credentialCanary } from './clients.ts'
import { bodyCanary, faults } from './faults.ts'
import { scriptedServer } from './scripted-server.ts'

const givenSecret = 'GIVEN-SECRET-c41d'
const person = { email: 'nina@acme.test', displayName: 'Nina' }
const membership = { spaceId: 'st$1', accountId: 'a1' }

interface Method {
  call: (options: HttpClientOptions) => Promise<unknown>
  /** What a 404 in the system's own words means here: the object is gone. */
  absent?: 'done'
}

const identityOf = (options: HttpClientOptions) =>
  authentik({ ...options, token: credentialCanary })
const identity: Record<keyof IdentityProvider, Method> = {
  check: { call: (options) => identityOf(options).check() },
  tryRights: { call: (options) => identityOf(options).tryRights() },
  ensureGroup: { call: (options) => identityOf(options).ensureGroup({ name: 'acme' }) },
  findGroup: { call: (options) => identityOf(options).findGroup('acme') },
  listGroupMembers: { call: (options) => identityOf(options).listGroupMembers('g') },
  renameGroup: {
    call: (options) => identityOf(options).renameGroup({ groupId: 'g', name: 'tenant-acme' }),
  },
  setGroupAttributes: {
    call: (options) => identityOf(options).setGroupAttributes({ groupId: 'g', attributes: {} }),
  },
  deleteGroup: { call: (options) => identityOf(options).deleteGroup('g'), absent: 'done' },
  findUserByEmail: { call: (options) => identityOf(options).findUserByEmail(person.email) },
  findUserBySubject: {
    call: (options) => identityOf(options).findUserBySubject({ subject: 's', email: person.email }),
  },
  readUser: { call: (options) => identityOf(options).readUser('7') },
  createUser: {
    call: (options) =>
      identityOf(options).createUser({ email: person.email, name: 'Nina', groupIds: [] }),
  },
  deleteUser: { call: (options) => identityOf(options).deleteUser('7'), absent: 'done' },
  addToGroup: { call: (options) => identityOf(options).addToGroup({ groupId: 'g', userId: '7' }) },
  removeFromGroup: {
    call: (options) => identityOf(options).removeFromGroup({ groupId: 'g', userId: '7' }),
    absent: 'done',
  },
  recoveryLink: { call: (options) => identityOf(options).recoveryLink({ userId: '7' }) },
  setPassword: {
    call: (options) => identityOf(options).setPassword({ userId: '7', password: givenSecret }),
  },
  settleTemporaryPassword: {
    call: (options) =>
      identityOf(options).settleTemporaryPassword({
        userId: '7',
        issued: { at: new Date(0), expiresAt: new Date(1) },
      }),
  },
  setActive: { call: (options) => identityOf(options).setActive({ userId: '7', active: false }) },
  updateUser: {
    call: (options) => identityOf(options).updateUser({ userId: '7', profile: { name: 'Nina' } }),
  },
  secondFactors: { call: (options) => identityOf(options).secondFactors('7') },
  listDevices: { call: (options) => identityOf(options).listDevices('7') },
  removeDevice: {
    call: (options) => identityOf(options).removeDevice({ userId: '7', kind: 'totp', id: '1' }),
  },
  removeDevices: { call: (options) => identityOf(options).removeDevices('7') },
  createSsoApplication: {
    call: (options) =>
      identityOf(options).createSsoApplication({
        slug: 'acme-wiki',
        name: 'Wiki',
        redirectUris: ['https://wiki.test/'],
        groupId: 'g',
        clientId: 'c',
        clientSecret: givenSecret,
      }),
  },
  readSsoApplication: {
    call: (options) => identityOf(options).readSsoApplication('acme-wiki'),
    absent: 'done',
  },
  removeSsoApplication: {
    call: (options) =>
      identityOf(options).removeSsoApplication({ slug: 'acme-wiki', providerId: '5' }),
    absent: 'done',
  },
  endSessions: {
    call: (options) => identityOf(options).endSessions({ userId: '7', username: person.email }),
  },
  listSessions: {
    call: (options) => identityOf(options).listSessions({ userId: '7', username: person.email }),
  },
  endSession: {
    call: (options) =>
      identityOf(options).endSession({ userId: '7', username: person.email, sessionId: 's1' }),
  },
}

const filesOf = (options: HttpClientOptions) =>
  opencloud({ ...options, user: 'atrium', appToken: credentialCanary })
const files: Record<keyof FileStorage, Method> = {
  check: { call: (options) => filesOf(options).check() },
  version: { call: (options) => filesOf(options).version() },
  ensureSpace: {
    call: (options) =>
      filesOf(options).ensureSpace({ marker: 'acme', name: 'Acme', quotaBytes: 1 }),
  },
  storage: { call: (options) => filesOf(options).storage('st$1'), absent: 'done' },
  ensureAccount: {
    call: (options) =>
      filesOf(options).ensureAccount({ ...person, person: { id: 'p1', subject: 's1' } }),
  },
  findAccount: { call: (options) => filesOf(options).findAccount(person.email), absent: 'done' },
  updateAccount: {
    call: (options) => filesOf(options).updateAccount({ id: 'a1', displayName: 'Nina' }),
  },
  setAccountEnabled: {
    call: (options) => filesOf(options).setAccountEnabled({ id: 'a1', enabled: false }),
  },
  removeAccount: { call: (options) => filesOf(options).removeAccount('a1'), absent: 'done' },
  addToSpace: { call: (options) => filesOf(options).addToSpace(membership) },
  removeFromSpace: {
    call: (options) => filesOf(options).removeFromSpace(membership),
    absent: 'done',
  },
  removeGoneFromSpace: {
    call: (options) => filesOf(options).removeGoneFromSpace({ spaceId: 'st$1', known: [] }),
  },
  accountUsage: { call: (options) => filesOf(options).accountUsage('a1'), absent: 'done' },
  disableSpace: { call: (options) => filesOf(options).disableSpace('st$1'), absent: 'done' },
  purgeSpace: { call: (options) => filesOf(options).purgeSpace('st$1'), absent: 'done' },
}

const methods = (system: UpstreamSystem, table: Record<string, Method>) =>
  Object.entries(table).map(([name, method]) => ({ system, name, ...method }))

describe.concurrent.each([...methods('identity', identity), ...methods('files', files)])(
  '$system: $name',
  ({ system, name, call, absent }) => {
    it.each(faults)('is never taken for done after $name, and tells no secret', async (fault) => {
      const reports: CallReport[] = []
      await using server = await scriptedServer((_, response) => fault.answer(response))
      const outcome = await call({
        baseUrl: server.url,
        backoffMs: { initial: 1, max: 2 },
        maxResponseBytes: 200_000,
        circuit: { failures: 100, openMs: 60_000 },
        deadlineMs: fault.deadlineMs ?? 10_000,
        onCall: (report) => reports.push(report),
      }).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )
      if (fault.status === 404 && absent === 'done') {
        expect(outcome).toEqual({ value: undefined })
        return
      }
      const error = 'error' in outcome ? outcome.error : undefined
      expect(error).toBeInstanceOf(UpstreamError)
      expect(error).toMatchObject({ system, call: name })
      const shown = inspect([error, Object.entries(error as object), reports], {
        depth: 10,
        showHidden: true,
      })
      const basic = Buffer.from(`atrium:${credentialCanary}`).toString('base64')
      for (const canary of [
        credentialCanary,
        bodyCanary,
        givenSecret,
        basic,
        'Bearer',
        '127.0.0.1',
        person.email,
      ]) {
        expect(shown).not.toContain(canary)
      }
    })
  },
)
