import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tenantIdOf } from '@atrium/testing/records'
import { insertServiceToken } from '@atrium/testing/service-tokens'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { atrium, program } from './atrium.ts'

let testApp: TestApp
let server: Server
let env: Record<string, string>
const tokens = { all: '', members: '' }
beforeAll(async () => {
  testApp = await startTestApp({ manyChanges: true })
  const tenantId = await tenantIdOf(testApp.database.db, 'acme')
  const owner = { kind: 'tenant', tenantId } as const
  tokens.all = (await insertServiceToken(testApp, owner)).token
  tokens.members = (await insertServiceToken(testApp, owner, { scopes: ['members:read'] })).token
  server = createServer(testApp.app.listener)
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up))
  const { port } = server.address() as AddressInfo
  env = { ATRIUM_URL: `http://127.0.0.1:${port}`, ATRIUM_TENANT: 'acme', ATRIUM_CONFIG: '/none' }
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  await testApp[Symbol.asyncDispose]()
})

/** A client of the program; the person confirms or not, or the client cannot ask. */
async function connect(
  token: string,
  args: readonly string[] = [],
  person?: 'confirms' | 'declines',
) {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: person ? { elicitation: {} } : {} },
  )
  const asked: string[] = []
  if (person)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message)
      return person === 'confirms'
        ? { action: 'accept', content: { confirm: true } }
        : { action: 'decline' }
    })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', ...args],
      env: { ...env, PATH: process.env.PATH ?? '', ATRIUM_TOKEN: token },
    }),
  )
  const call = async (name: string, values: Record<string, unknown> = {}) => {
    const { isError, content } = await client.callTool({ name, arguments: values })
    return { isError: isError ?? false, text: (content as { text: string }[])[0]?.text ?? '' }
  }
  return { client, call, asked, [Symbol.asyncDispose]: () => client.close() }
}

const nameOf = async () =>
  (await testApp.request('GET', '/tenants/acme', { token: tokens.all })).body.name

describe('atrium mcp', () => {
  it('offers what the token can read, and nothing with a secret', async () => {
    await using own = await connect(tokens.members)
    const { tools } = await own.client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toContain('tenants_users')
    expect(names).not.toContain('lists_list')
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
    const users = tools.find(({ name }) => name === 'tenants_users')
    expect(users?.inputSchema).toMatchObject({
      properties: { role: { enum: ['member', 'admin', 'owner'] } },
      required: [],
    })
    await using all = await connect(tokens.all, ['--allow-write'])
    const offered = (await all.client.listTools()).tools.map(({ name }) => name)
    expect(offered).toContain('tenants_update')
    expect(offered).not.toContain('members_resetPassword')
  })

  it('calls a tool, and returns a rejection as one', async () => {
    await using own = await connect(tokens.members)
    const read = await own.call('tenants_users', { limit: 1 })
    expect(JSON.parse(read.text).items).toHaveLength(1)
    const wrong = await own.call('tenants_users', { limit: 9_000 })
    expect({ ...wrong, text: JSON.parse(wrong.text).code }).toEqual({
      isError: true,
      text: 'invalid_input',
    })
    expect(await own.call('members_get')).toEqual({ isError: true, text: 'Missing: userId.' })
  })

  it('has no changes unless they are allowed', async () => {
    await using own = await connect(tokens.all, [], 'confirms')
    expect(await own.call('tenants_update', { name: 'Other' })).toMatchObject({ isError: true })
    expect(await nameOf()).not.toBe('Other')
  })

  it('carries a change out when the person confirms it, and not else', async () => {
    const before = await nameOf()
    await using declining = await connect(tokens.all, ['--allow-write'], 'declines')
    expect(await declining.call('tenants_update', { name: 'Other' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('did not confirm'),
    })
    expect(declining.asked).toEqual([expect.stringContaining('"name": "Other"')])
    await using silent = await connect(tokens.all, ['--allow-write'])
    expect(await silent.call('tenants_update', { name: 'Other' })).toMatchObject({ isError: true })
    expect(await nameOf()).toBe(before)
    await using confirming = await connect(tokens.all, ['--allow-write'], 'confirms')
    expect(await confirming.call('tenants_update', { name: 'Other' })).toMatchObject({
      isError: false,
    })
    expect(await nameOf()).toBe('Other')
  })

  it('does not start with a token that the server rejects', async () => {
    const wrong = tokens.all.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
    expect(await atrium(['mcp'], { ...env, ATRIUM_TOKEN: wrong })).toMatchObject({ status: 77 })
  })
})
