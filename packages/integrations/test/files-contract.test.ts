import { demoServiceCredentials } from '@atrium/core/demo'
import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { opencloud } from '../src/files/opencloud.ts'
import { filesContract } from './files-contract.ts'

const { filesUser: user, filesAppToken: appToken } = demoServiceCredentials
const authorization = `Basic ${Buffer.from(`${user}:${appToken}`).toString('base64')}`
let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())
beforeEach(() => sandbox.reset())

async function countSpaces(marker: string): Promise<number> {
  const response = await fetch(`${sandbox.filesUrl}/graph/v1.0/drives`, { headers: { authorization } })
  const { value } = (await response.json()) as { value: { driveAlias: string }[] }
  return value.filter(({ driveAlias }) => driveAlias === `project/${marker}`).length
}

async function fill(spaceId: string, bytes: number): Promise<void> {
  expect(sandbox.files.setUsed(spaceId, bytes)).toBe(true)
}

async function members(spaceId: string): Promise<Record<string, string>> {
  const path = `/graph/v1beta1/drives/${encodeURIComponent(spaceId)}/root/permissions`
  const response = await fetch(`${sandbox.filesUrl}${path}`, { headers: { authorization } })
  const { value } = (await response.json()) as { value: { grantedToV2: { user?: { id: string } }; roles: string[] }[] }
  return Object.fromEntries(value.map((one) => [one.grantedToV2.user?.id ?? '', one.roles[0] ?? '']))
}

async function signInAndFill(username: string, bytes: number): Promise<void> {
  expect(sandbox.files.signIn(username)).toBe(true)
  const response = await fetch(`${sandbox.filesUrl}/graph/v1.0/users/${encodeURIComponent(username)}/drive`, { headers: { authorization } })
  const { id } = (await response.json()) as { id: string }
  await fill(id, bytes)
}

filesContract('the local stand-in', () => ({ baseUrl: sandbox.filesUrl, user, appToken, countSpaces, fill, members, signInAndFill }))

describe('file storage faults', () => {
  const request = { marker: 'newco', name: 'NewCo', quotaBytes: 1_000_000 }
  const client = () => opencloud({ baseUrl: sandbox.filesUrl, user, appToken, backoffMs: { initial: 1, max: 5 } })

  it('make no second space when the connection breaks after the first was stored', async () => {
    sandbox.fault({ system: 'files', match: 'POST /graph/v1.0/drives', mode: 'reset', after: true, times: 1 })
    await expect(client().ensureSpace(request)).rejects.toMatchObject({ kind: 'connection', call: 'ensureSpace' })
    expect(await client().ensureSpace(request)).toMatchObject({ created: false })
    expect(await countSpaces('newco')).toBe(1)
  })

  it('make one account when the connection breaks after it was stored', async () => {
    sandbox.fault({ system: 'files', match: 'POST /graph/v1.0/users', mode: 'reset', after: true, times: 1 })
    const { id } = await client().ensureAccount({ email: 'nina@newco.test', displayName: 'Nina' })
    expect(await client().findAccount('nina@newco.test')).toMatchObject({ id })
  })

  it.each(['invite', 'permissions'] as const)('leave one grant or none when the connection breaks after %s', async (what) => {
    const { id: spaceId } = await client().ensureSpace(request)
    const { id: accountId } = await client().ensureAccount({ email: 'nina@newco.test', displayName: 'Nina' })
    if (what === 'permissions') await client().addToSpace({ spaceId, accountId })
    const match = what === 'invite' ? '/root/invite' : 'DELETE /graph/v1beta1/drives/'
    sandbox.fault({ system: 'files', match, mode: 'reset', after: true, times: 1 })
    if (what === 'invite') await client().addToSpace({ spaceId, accountId })
    else await client().removeFromSpace({ spaceId, accountId })
    expect(Object.keys(await members(spaceId)).filter((id) => id === accountId)).toHaveLength(what === 'invite' ? 1 : 0)
  })

  it('are never told as zero bytes', async () => {
    const { id } = await client().ensureAccount({ email: 'nina@newco.test', displayName: 'Nina' })
    sandbox.fault({ system: 'files', match: '/drive', mode: 'error' })
    await expect(client().accountUsage(id)).rejects.toMatchObject({ kind: 'server' })
    sandbox.clearFaults()
    sandbox.fault({ system: 'files', match: `GET /graph/v1.0/users/${id}`, mode: 'error', status: 500 })
    await expect(client().accountUsage(id)).rejects.toMatchObject({ kind: 'server' })
  })

  it.each([
    ['error', 'server'],
    ['reset', 'connection'],
    ['garbage', 'invalid_answer'],
    ['shape', 'invalid_answer'],
  ] as const)('heal when two in a row pass, and are told when three do (%s)', async (mode, kind) => {
    sandbox.fault({ system: 'files', match: 'GET /graph/v1.0/me', mode, times: 2 })
    expect((await client().check()).userId).not.toBe('')
    sandbox.fault({ system: 'files', match: 'GET /graph/v1.0/me', mode, times: 3 })
    await expect(client().check()).rejects.toMatchObject({ system: 'files', kind })
  })
})
