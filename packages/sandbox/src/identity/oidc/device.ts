import { randomInt } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { html, Markup, type PageInput, page } from '../../page.ts'
import { parseDuration } from '../duration.ts'
import { notFound, readForm, redirect, sendJson, sendPage } from '../login/http.ts'
import { messagePage } from '../login/pages.ts'
import type { Store } from '../records.ts'
import type { FrontParts } from './front.ts'
import type { Application } from './providers.ts'

/** Name of the grant of RFC 8628. */
export const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** Where the pages of codes are, below the address of an application. */
export const deviceRoute = '/device'

function applicationOf({ store, applications }: FrontParts, clientId: unknown) {
  const provider = store.records.providers.find((one) => one.client_id === clientId)
  const record = store.records.applications.find((one) => one.provider === provider?.pk)
  return record && applications(record.slug)
}

/**
 * `POST /application/o/device/`: one address for all applications, as at authentik. A code is nine
 * digits and lives as long as the provider's authorization codes.
 */
export async function startDevice(
  parts: FrontParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await readForm(request)
  const app = applicationOf(parts, form.get('client_id'))
  const client = app && (await app.openId.Client.find(app.provider.client_id))
  if (!app || !client?.grantTypeAllowed(deviceCodeGrant))
    return sendJson(response, 400, { error: 'invalid_client' })
  const userCode = Array.from({ length: 9 }, () => randomInt(10)).join('')
  const code = new app.openId.DeviceCode({
    client,
    userCode,
    grantId: '',
    deviceInfo: {},
    params: { client_id: client.clientId, scope: form.get('scope') ?? '' },
  })
  const seconds = lifetimeOf(app)
  const uri = `${parts.store.origin()}/device`
  sendJson(response, 200, {
    device_code: await code.save(),
    verification_uri: uri,
    verification_uri_complete: `${uri}?code=${userCode}`,
    user_code: userCode,
    expires_in: seconds,
    interval: 5,
  })
}

/** How long a code can be entered, in seconds. */
export function lifetimeOf({ provider }: Pick<Application, 'provider'>): number {
  return Math.max(1, Math.round(parseDuration(provider.access_code_validity) ?? 60))
}

/** `/device`: where people enter a code. A brand without a flow for it has no such page. */
export function enterDeviceCode(parts: FrontParts, url: URL, response: ServerResponse): void {
  const { store } = parts
  const [brand] = store.records.brands
  if (!brand?.flow_device_code) {
    notFound(response)
    return
  }
  const code = url.searchParams.get('code')
  const found = Object.values(store.records.artifacts).find(
    ({ model, payload }) => model === 'DeviceCode' && payload.userCode === code,
  )
  const app = found && applicationOf(parts, found.payload.clientId)
  if (app)
    redirect(response, `/application/o/${app.application.slug}${deviceRoute}?user_code=${code}`)
  else sendPage(response, 200, codePage(code !== null))
}

function codePage(wrong: boolean): PageInput {
  return {
    title: 'Enter the code',
    body: html`<h1>Enter the code</h1><p class="soft">that your program shows. This page belongs to the sandbox.</p>
${wrong && html`<p class="alert" role="alert">Invalid code</p>`}
<section class="card"><form method="get" action="/device"><label for="code">Code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="off" required><div class="actions"><button>Continue</button></div></form></section>`,
  }
}

const show = (ctx: KoaContextWithOIDC, input: PageInput) => {
  const { body, headers } = page(input)
  ctx.set(headers)
  ctx.body = body
}

/** The pages of codes, and what authentik leaves out of the tokens that come of them. */
export function devicePages(store: Store) {
  return {
    enabled: true,
    charset: 'digits' as const,
    mask: '*********',
    userCodeInputSource: (ctx: KoaContextWithOIDC) => show(ctx, codePage(true)),
    userCodeConfirmSource(ctx: KoaContextWithOIDC, form: string) {
      const { clientId } = ctx.oidc.client ?? { clientId: '' }
      const provider = store.records.providers.find((one) => one.client_id === clientId)
      const named = store.records.applications.find((one) => one.provider === provider?.pk)
      const name = named?.name ?? clientId
      show(ctx, {
        title: `Allow ${name}`,
        body: html`<h1>Allow ${name}</h1><p>You're about to sign into ${name}. Continue only if you started this yourself.</p>
<section class="card">${new Markup(form)}<button form="op.deviceConfirmForm">Continue</button></section>`,
      })
    },
    /**
     * authentik keeps no session with a code: its tokens name none, no methods, and as the time of
     * the sign-in the time at which they were issued.
     */
    async successSource(ctx: KoaContextWithOIDC) {
      const code = ctx.oidc.entities.DeviceCode
      if (!code) throw new Error('no code was confirmed')
      Object.assign(code, {
        sessionUid: undefined,
        sid: undefined,
        amr: undefined,
        authTime: Math.floor(store.now() / 1000),
      })
      await code.save()
      show(ctx, messagePage('You are signed in', 'You can close this page.'))
    },
  }
}
