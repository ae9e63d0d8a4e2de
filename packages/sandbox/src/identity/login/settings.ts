import type { IncomingMessage, ServerResponse } from 'node:http'
import { addDevice } from '../devices.ts'
import type { Application } from '../oidc/providers.ts'
import { hashPassword } from '../passwords.ts'
import { type DeviceKind, type FlowRecord, isoNow, type Store } from '../records.ts'
import { readForm, redirect, sendPage } from './http.ts'
import { messagePage, passwordPage, setupPage } from './pages.ts'

const devices: Readonly<Record<string, { kind: DeviceKind; name: string }>> = {
  'default-authenticator-totp-setup': { kind: 'totp', name: 'Authenticator app' },
  'default-authenticator-webauthn-setup': { kind: 'webauthn', name: 'Passkey' },
  'default-authenticator-static-setup': { kind: 'static', name: 'Recovery codes' },
}

/**
 * Flows in which a signed-in person changes their password or sets up a second factor. They go on
 * to `next`, which may only be a path, and reject a browser that nobody is signed in with.
 */
export async function changeSettings(
  store: Store,
  { app, flow, url }: { app: Application; flow: FlowRecord; url: URL },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const session = await app.openId.Session.get(app.openId.createContext(request, response))
  const user = store.records.users.find((one) => one.uid === session.accountId && one.is_active)
  if (!user) {
    const text = 'Flow does not apply to current user.'
    return sendPage(response, 403, messagePage('Permission denied', text))
  }
  const device = devices[flow.slug]
  const show = (status: number, fault?: string) =>
    sendPage(
      response,
      status,
      device ? setupPage(store, flow.title) : passwordPage(store, user.email, fault),
    )
  if (request.method !== 'POST') return show(200)
  const form = await readForm(request)
  if (device) {
    addDevice(store, user, { ...device, confirmed: true })
  } else {
    const password = form.get('password') ?? ''
    if (password === '') return show(400, 'The password may not be blank.')
    user.password = hashPassword(password)
    user.password_change_date = isoNow(store)
  }
  store.changed()
  const next = url.searchParams.get('next') ?? '/'
  if (!next.startsWith('/') || next.startsWith('//'))
    return sendPage(response, 400, messagePage('Request has been denied', 'Invalid next URL'))
  redirect(response, next)
}
