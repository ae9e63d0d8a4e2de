import { z } from 'zod'

const Challenge = z.object({ component: z.string(), response_errors: z.unknown().optional() })

/**
 * Signs a person in at a real authentik as its pages do: each stage of the authentication flow is a
 * challenge of the flow executor that is answered until it says where to go. Rejects when a stage
 * says no.
 */
export async function signInByFlow(
  baseUrl: string,
  { username, password }: { username: string; password: string },
): Promise<void> {
  const address = `${baseUrl}/api/v3/flows/executor/default-authentication-flow/?query=`
  const cookies = new Map<string, string>()
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
  const responses: Record<string, object> = {
    'ak-stage-identification': { uid_field: username },
    'ak-stage-password': { password },
    'ak-stage-user-login': { remember_me: false },
  }
  let challenge = await send()
  for (let stages = 0; challenge.component !== 'xak-flow-redirect'; stages += 1) {
    const answer = responses[challenge.component]
    if (stages === 5 || answer === undefined || challenge.response_errors)
      throw new Error(`${username} was not let in: ${JSON.stringify(challenge)}`)
    challenge = await send({ component: challenge.component, ...answer })
  }
}
