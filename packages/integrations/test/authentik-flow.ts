import { z } from 'zod'

const Challenge = z.object({ component: z.string(), response_errors: z.unknown().optional() })

/** What a browser holds of a real authentik. */
export type Cookies = Map<string, string>

/**
 * Walks through a flow of a real authentik as its pages do: each stage is a challenge of the flow
 * executor that is answered until it says where to go. Rejects when a stage says no.
 */
async function walk(
  baseUrl: string,
  { slug, cookies }: { slug: string; cookies: Cookies },
  responses: Readonly<Record<string, object>>,
): Promise<void> {
  const address = `${baseUrl}/api/v3/flows/executor/${slug}/?query=`
  const send = async (body?: object) => {
    let target = address
    for (let hops = 0; hops < 5; hops += 1) {
      const posts = body !== undefined && hops === 0
      const response: Response = await fetch(target, {
        method: posts ? 'POST' : 'GET',
        redirect: 'manual',
        headers: {
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          'x-authentik-csrf': cookies.get('authentik_csrf') ?? '',
          ...(posts && { 'content-type': 'application/json' }),
        },
        ...(posts && { body: JSON.stringify(body) }),
      })
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        cookies.set(name, value)
      }
      const location = response.headers.get('location')
      if (location === null) return Challenge.parse(await response.json())
      target = new URL(location, target).href
    }
    throw new Error('the flow executor redirects without end')
  }
  let challenge = await send()
  for (let stages = 0; challenge.component !== 'xak-flow-redirect'; stages += 1) {
    const answer = responses[challenge.component]
    if (stages === 5 || answer === undefined || challenge.response_errors)
      throw new Error(`the flow ${slug} stopped: ${JSON.stringify(challenge)}`)
    challenge = await send({ component: challenge.component, ...answer })
  }
}

/** Signs a person in; the cookies are those of the session. Rejects when they are not let in. */
export async function signInByFlow(
  baseUrl: string,
  { username, password }: { username: string; password: string },
): Promise<Cookies> {
  const cookies: Cookies = new Map()
  await walk(
    baseUrl,
    { slug: 'default-authentication-flow', cookies },
    {
      'ak-stage-identification': { uid_field: username },
      'ak-stage-password': { password },
      'ak-stage-user-login': { remember_me: false },
    },
  )
  return cookies
}

/** Gives the person of a session recovery codes. */
export function takeRecoveryCodes(baseUrl: string, cookies: Cookies): Promise<void> {
  const flow = { slug: 'default-authenticator-static-setup', cookies }
  return walk(baseUrl, flow, { 'ak-stage-authenticator-static': {} })
}
