import { type Browser, rawRequest } from './browser.ts'
import type { SeenRequest } from './platform.ts'
import { startTestBff, type TestBff, type TestBffOptions } from './test-bff.ts'

/** An app with a browser that is signed in: as an operator, or as the owner of Acme. */
export interface SignedInBff extends TestBff {
  signedIn: Browser
  /** The last request that the platform got. */
  lastSeen(): SeenRequest
  /** A request with the session's cookie, and no other header than these. */
  raw(
    path: string,
    headers?: Record<string, string>,
    method?: string,
  ): ReturnType<typeof rawRequest>
}

export async function startSignedInBff(options: TestBffOptions = {}): Promise<SignedInBff> {
  const testBff = await startTestBff(options)
  const { publicUrl, cookieName } = testBff
  const signedIn = testBff.browser()
  await signedIn.signIn(
    publicUrl,
    options.app === 'operator' ? 'operator@atrium.test' : 'owner@acme.test',
  )
  return {
    ...testBff,
    signedIn,
    lastSeen() {
      const seen = testBff.platform.seen.at(-1)
      if (!seen) throw new Error('the platform got no request')
      return seen
    },
    raw: (path, headers = {}, method = 'GET') =>
      rawRequest(publicUrl, path, {
        method,
        headers: {
          cookie: `${cookieName}=${signedIn.cookie(publicUrl, cookieName)?.value}`,
          ...headers,
        },
      }),
  }
}
