import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Browser } from '@atrium/testing/bff/browser'
import { startTestBff, type TestBff } from '@atrium/testing/bff/test-bff'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { afterAll, beforeAll, expect, it } from 'vitest'

const processes: ChildProcess[] = []
let testBff: TestBff
let browser: Browser
let urls: string[]

/** A server of the app as a process of its own, on a port of its choice. */
async function startServer(): Promise<string> {
  const server = fileURLToPath(new URL('../../packages/bff/src/server.ts', import.meta.url))
  const code = `import(${JSON.stringify(server)}).then(({ runAppServer }) => runAppServer({ app: 'portal', env: process.env, distDir: ${JSON.stringify(testBff.distDir)} }))`
  const child = spawn(process.execPath, ['-e', code], {
    env: { PATH: process.env.PATH, ...testBff.env, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  processes.push(child)
  let output = ''
  return new Promise((found, failed) => {
    child.once('exit', (status) => failed(new Error(`the server ended with ${status}: ${output}`)))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const port = /"port":(\d+).*"msg":"listening"/.exec(output)?.[1]
      if (port) found(`http://localhost:${port}`)
      // Only the start is of interest, and a thousand rounds log much.
      if (output.length > 100_000) output = ''
    })
  })
}

beforeAll(async () => {
  testBff = await startTestBff({ instances: 1 })
  urls = await Promise.all([startServer(), startServer()])
  browser = testBff.browser()
  await browser.signIn(testBff.publicUrl, 'owner@acme.test')
})
afterAll(async () => {
  await Promise.all(
    processes.map((child) => {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill('SIGKILL')
      return ended
    }),
  )
  await testBff[Symbol.asyncDispose]()
})

const cookie = () =>
  `${testBff.cookieName}=${browser.cookie(testBff.publicUrl, testBff.cookieName)?.value}`
const path = '/trpc/tenants.list'
/** Every third changes something. */
const ask = (n: number) => {
  const [url, headers] = [
    `${urls[n % 2]}${path}`,
    { cookie: cookie(), 'sec-fetch-site': 'same-origin' },
  ]
  return n % 3 === 0
    ? fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{}',
      })
    : fetch(url, { headers })
}

const atOnce = 50
const total = { rounds: 0, refreshes: 0, signedOut: 0, wrongToken: 0 }
/** Responses that are neither successful nor 401, by status and code. */
const others = new Map<string, number>()
// What a machine that has too much to do answers when the provider or the database took too long:
// the session stays, the next call goes through.
const overloaded = '503 unavailable'

/** Fifty at once over two processes; what makes the token stale comes first. */
async function race(makeStale: () => Promise<void>): Promise<void> {
  await makeStale()
  const began = new Date().toISOString()
  testBff.platform.seen.length = 0
  const statuses = await Promise.all(
    Array.from({ length: atOnce }, async (_, n) => {
      const response = await ask(n)
      const text = await response.text()
      if (response.status === 200 || response.status === 401) return response.status
      const what = `${response.status} ${/"code":"(\w+)"/.exec(text)?.[1]}`
      others.set(what, (others.get(what) ?? 0) + 1)
      return response.status
    }),
  )
  total.rounds++
  total.refreshes += tokenCallsSince(began)
  total.signedOut += statuses.filter((status) => status === 401).length
  const [session] = await testBff.storedSessions()
  const last = testBff.platform.seen.slice(-atOnce).map((request) => request.headers.authorization)
  if (last.at(-1) !== `Bearer ${session?.tokens.access}`) total.wrongToken++
}

/** The log of the sandbox keeps the last few hundred calls: enough for a round, not for all. */
function tokenCallsSince(moment: string): number {
  return testBff.sandbox
    .state()
    .identity.calls.filter(
      ({ method, path, at }) => method === 'POST' && path.endsWith('/token/') && at >= moment,
    ).length
}

async function currentAccess(): Promise<string> {
  const [session] = await testBff.storedSessions()
  if (!session) throw new Error('there is no session')
  return session.tokens.access
}

it('fifty requests at two processes refresh once in every round, and no one is signed out', async () => {
  const requested = rounds(6, 1_000)
  for (let round = 0; round < requested; round++) {
    await race(async () => {
      // By turns: the token has expired by our clock, and the API rejects it before.
      if (round % 2 === 0) await testBff.expireTokens()
      else testBff.platform.refused.add(await currentAccess())
      if (round % 10 === 3)
        testBff.sandbox.fault({
          system: 'identity',
          match: '/token/',
          mode: 'latency',
          delayMs: 40,
          times: 1,
        })
    })
    testBff.platform.refused.clear()
  }
  const sessions = await testBff.storedSessions()
  const tryAgain = others.get(overloaded) ?? 0
  await recordMeasurement({
    target: 'S18',
    what: `${atOnce} requests at once over two processes, one-time refresh tokens, half of them after a refusal by the API`,
    measured: `${total.rounds} rounds: ${total.refreshes} refreshes, ${total.signedOut} answers 401, other failures ${[...others].map(([what, count]) => `${count} × ${what}`).join(', ') || 'none'}, ${sessions.length} session left`,
    reached:
      total.refreshes === total.rounds &&
      total.signedOut === 0 &&
      tryAgain < total.rounds * atOnce * 0.001 &&
      sessions.length === 1,
  })
  expect(total).toEqual({ rounds: requested, refreshes: requested, signedOut: 0, wrongToken: 0 })
  expect([...others.keys()].filter((what) => what !== overloaded)).toEqual([])
  expect(sessions).toHaveLength(1)
})
