import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import { afterAll, beforeAll, expect, it } from 'vitest'

const program = join(import.meta.dirname, '../src/identity-setup.ts')

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 'empty' })
})
afterAll(() => sandbox.close())

interface Ended {
  status: number
  output: string
  complaint: string
}

function run(command: string[], settings: Record<string, string> = {}): Promise<Ended> {
  const env = {
    PATH: process.env.PATH ?? '',
    IDP_API_URL: sandbox.identityUrl,
    IDP_SETUP_TOKEN: demoServiceCredentials.identityAdminToken,
    PORTAL_URL: 'https://portal.test',
    OPERATOR_URL: 'https://operator.test/',
    ...settings,
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...command], { env }, (error, output, complaint) => {
      resolve({ status: Number(error?.code ?? 0), output, complaint })
    })
  })
}

it('checks, applies and shows the credentials, by exit status too', async () => {
  const before = await run(['check'])
  expect(before.status).toBe(1)
  expect(before.output).toMatch(/^error {4}blueprint was never applied\. Run/m)
  expect(await run(['apply'])).toMatchObject({ status: 0, complaint: '' })
  const { output } = await run(['credentials'])
  const apiToken = /^IDP_API_TOKEN=(\S{60})$/m.exec(output)?.[1] ?? expect.fail(output)
  expect(output.match(/^OIDC_CLIENT_SECRET=\S{128}$/gm)).toHaveLength(2)
  const after = await run(['check'], { IDP_API_TOKEN: apiToken })
  expect(after.status, after.output).toBe(0)
  // The sandbox has no GeoIP database, like a fresh authentik.
  expect(after.output.match(/^(warning|error) +\w+/gm)).toEqual(['warning  countries'])
  expect(after.output).not.toContain(apiToken)
}, 120_000)

it('explains wrong arguments, settings and tokens', async () => {
  for (const command of [[], ['remove'], ['check', 'twice'], ['toString']])
    expect(await run(command)).toMatchObject({
      status: 2,
      complaint: expect.stringContaining('identity-setup.ts apply'),
    })
  expect(await run(['check'], { PORTAL_URL: 'portal' })).toMatchObject({
    status: 78,
    complaint: expect.stringContaining('PORTAL_URL: is no http or https address'),
  })
  const token = 'not-the-token-of-anybody-9f3a'
  const rejected = await run(['apply'], { IDP_SETUP_TOKEN: token })
  expect(rejected).toMatchObject({ status: 1, complaint: expect.stringContaining('403') })
  expect(rejected.complaint).not.toContain(token)
}, 120_000)
