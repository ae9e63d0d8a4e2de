import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { opencloud } from '../src/files/opencloud.ts'
import { filesContract } from './files-contract.ts'
import { againstOpenCloud, type FilesTestServer, startFilesTestServer } from './files-server.ts'

let testServer: FilesTestServer

beforeAll(async () => {
  testServer = await startFilesTestServer()
})
afterAll(() => testServer.close(), 60_000)
beforeEach(() => testServer.reset())

filesContract(againstOpenCloud ? 'OpenCloud' : 'the local stand-in', () => testServer)

// Faults are of the stand-in alone.
describe.skipIf(againstOpenCloud)('file storage faults', () => {
  const access = () => ({
    baseUrl: testServer.baseUrl,
    user: testServer.user,
    appToken: testServer.appToken,
  })
  const nina = {
    person: { id: 'p1', subject: 's1' },
    email: 'nina@newco.test',
    displayName: 'Nina',
  }
  const request = { marker: 'newco', name: 'NewCo', quotaBytes: 1_000_000 }
  const client = () => opencloud({ ...access(), backoffMs: { initial: 1, max: 5 } })

  it('make no second space when the connection breaks after the first was stored', async () => {
    testServer.sandbox.fault({
      system: 'files',
      match: 'POST /graph/v1.0/drives',
      mode: 'reset',
      after: true,
      times: 1,
    })
    await expect(client().ensureSpace(request)).rejects.toMatchObject({
      kind: 'connection',
      call: 'ensureSpace',
    })
    expect(await client().ensureSpace(request)).toMatchObject({ created: false })
    expect(await testServer.countSpaces('newco')).toBe(1)
  })

  it('make one account when the connection breaks after it was stored', async () => {
    testServer.sandbox.fault({
      system: 'files',
      match: 'POST /graph/v1.0/users',
      mode: 'reset',
      after: true,
      times: 1,
    })
    const { id } = await client().ensureAccount(nina)
    expect(await client().findAccount('nina@newco.test')).toMatchObject({ id })
  })

  it.each(['invite', 'permissions'] as const)(
    'leave one grant or none when the connection breaks after %s',
    async (what) => {
      const { id: spaceId } = await client().ensureSpace(request)
      const { id: accountId } = await client().ensureAccount(nina)
      if (what === 'permissions') await client().addToSpace({ spaceId, accountId })
      const match = what === 'invite' ? '/root/invite' : 'DELETE /graph/v1beta1/drives/'
      testServer.sandbox.fault({ system: 'files', match, mode: 'reset', after: true, times: 1 })
      if (what === 'invite') await client().addToSpace({ spaceId, accountId })
      else await client().removeFromSpace({ spaceId, accountId })
      expect(
        Object.keys(await testServer.members(spaceId)).filter((id) => id === accountId),
      ).toHaveLength(what === 'invite' ? 1 : 0)
    },
  )

  it('are never told as zero bytes', async () => {
    const { id } = await client().ensureAccount(nina)
    testServer.sandbox.fault({ system: 'files', match: '/drive', mode: 'error' })
    await expect(client().accountUsage(id)).rejects.toMatchObject({ kind: 'server' })
    testServer.sandbox.clearFaults()
    testServer.sandbox.fault({
      system: 'files',
      match: `GET /graph/v1.0/users/${id}`,
      mode: 'error',
      status: 500,
    })
    await expect(client().accountUsage(id)).rejects.toMatchObject({ kind: 'server' })
  })

  it.each([
    ['error', 'server'],
    ['reset', 'connection'],
    ['garbage', 'invalid_answer'],
    ['shape', 'invalid_answer'],
  ] as const)(
    'heal when two in a row pass, and are told when three do (%s)',
    async (mode, kind) => {
      testServer.sandbox.fault({ system: 'files', match: 'GET /graph/v1.0/me', mode, times: 2 })
      expect((await client().check()).userId).not.toBe('')
      testServer.sandbox.fault({ system: 'files', match: 'GET /graph/v1.0/me', mode, times: 3 })
      await expect(client().check()).rejects.toMatchObject({ system: 'files', kind })
    },
  )
})
