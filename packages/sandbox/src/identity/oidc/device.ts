import { randomInt } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { notFound, readForm, redirect, sendJson, sendPage } from '../login/http.ts'
import type { Store } from '../records.ts'
import { authorizationCodeSeconds } from './access-tokens.ts'
import { codePage, deviceCodeGrant, deviceRoute } from './device-pages.ts'
import type { Application } from './providers.ts'

/** What the endpoints of device codes need. */
interface DeviceParts {
  readonly store: Store
  readonly applications: (slug: string) => Application | undefined
}

function applicationOf({ store, applications }: DeviceParts, clientId: unknown) {
  const provider = store.records.providers.find((one) => one.client_id === clientId)
  const record = store.records.applications.find((one) => one.provider === provider?.pk)
  return record && applications(record.slug)
}

/**
 * `POST /application/o/device/`: one address for all applications, as at authentik. A code is nine
 * digits and lives as long as the provider's authorization codes.
 */
export async function startDevice(
  parts: DeviceParts,
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
  const uri = `${parts.store.origin()}/device`
  sendJson(response, 200, {
    device_code: await code.save(),
    verification_uri: uri,
    verification_uri_complete: `${uri}?code=${userCode}`,
    user_code: userCode,
    expires_in: authorizationCodeSeconds(app.provider),
    interval: 5,
  })
}

/** `/device`: where people enter a code. A brand without a flow for it has no such page. */
export function enterDeviceCode(parts: DeviceParts, url: URL, response: ServerResponse): void {
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
