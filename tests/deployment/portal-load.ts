import { setTimeout as wait } from 'node:timers/promises'
import { mailGroups } from '@atrium/core/account/notifications'
import { Browser } from '@atrium/testing/bff/browser'

/** What a signed-in browser does while something happens to the portal servers. */
export interface PortalLoad {
  readonly requests: number
  /** Requests with an unexpected response, one sentence each. */
  readonly failed: readonly string[]
  stop(): Promise<void>
}

/** Signs in at the portal, then reads, loads the page and sends changes without a pause. */
export async function startPortalLoad(origin: string): Promise<PortalLoad> {
  const browser = await signedIn(origin)
  const [group] = mailGroups
  const failed: string[] = []
  let requests = 0
  let stopped = false

  async function expectOk(what: string, asked: Promise<Response>): Promise<void> {
    requests++
    const sentence = await asked.then(
      async (response) => {
        const text = await response.text()
        return response.status === 200 ? undefined : `${response.status} ${text.slice(0, 200)}`
      },
      (error: Error) => String(error.cause ?? error),
    )
    if (sentence) failed.push(`${what}: ${sentence}`)
  }
  const read = () =>
    expectOk(
      'GET /trpc/users.me',
      browser.fetch(`${origin}/trpc/users.me`, { headers: { 'sec-fetch-site': 'same-origin' } }),
    )
  const page = () =>
    expectOk('GET /', browser.fetch(`${origin}/`, { headers: { accept: 'text/html' } }))
  const change = () =>
    expectOk(
      'POST /trpc/account.updateNotification',
      browser.post(`${origin}/trpc/account.updateNotification`, { json: { group, on: true } }),
    )
  async function again(act: () => Promise<void>, pauseMs: number): Promise<void> {
    while (!stopped) {
      await act()
      await wait(pauseMs)
    }
  }
  const running = [again(read, 10), again(read, 10), again(page, 50), again(change, 100)]
  return {
    get requests() {
      return requests
    },
    failed,
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}

/** A proxy takes a server in when it has asked it; until then the sign-in is tried again. */
async function signedIn(origin: string): Promise<Browser> {
  for (let tries = 1; ; tries++) {
    const browser = new Browser()
    const failure = await browser.signIn(origin, 'owner@acme.test').then(
      () => undefined,
      (error: unknown) => error,
    )
    if (!failure) return browser
    if (tries === 20) throw failure
    await wait(500)
  }
}
