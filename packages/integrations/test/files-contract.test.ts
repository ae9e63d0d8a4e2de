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

filesContract('the local stand-in', () => ({ baseUrl: sandbox.filesUrl, user, appToken, countSpaces, fill }))

describe('file storage faults', () => {
  const request = { marker: 'newco', name: 'NewCo', quotaBytes: 1_000_000 }
  const client = () => opencloud({ baseUrl: sandbox.filesUrl, user, appToken, backoffMs: { initial: 1, max: 5 } })

  it('make no second space when the connection breaks after the first was stored', async () => {
    sandbox.fault({ system: 'files', match: 'POST /graph/v1.0/drives', mode: 'reset', after: true, times: 1 })
    await expect(client().ensureSpace(request)).rejects.toMatchObject({ kind: 'connection', call: 'ensureSpace' })
    expect(await client().ensureSpace(request)).toMatchObject({ created: false })
    expect(await countSpaces('newco')).toBe(1)
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
