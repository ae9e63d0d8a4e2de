import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { demoPeople } from '@atrium/core/demo/demo'
import { addDevice } from '../devices.ts'
import { acr, amrOf } from '../oidc/claims.ts'
import { endLogin } from '../oidc/logins.ts'
import type { LogoutNotices } from '../oidc/logout.ts'
import type { Application } from '../oidc/providers.ts'
import { passwordMatches } from '../passwords.ts'
import { changePassword, changeRequired, passwordExpiresAt, userForSignIn } from '../people.ts'
import { isoNow, type Store, type UserRecord } from '../records.ts'
import { type Countries, isAccessRejected, isSecondFactorMissing } from '../sign-in-rules.ts'
import { addressOf, readForm, sendPage } from './http.ts'
import {
  accessRejected,
  deniedPage,
  firstPasswordPage,
  messagePage,
  type Step,
  secondFactorPage,
  signInPage,
} from './pages.ts'

interface SignInParts {
  readonly store: Store
  readonly notices: LogoutNotices
  readonly app: Application
  readonly countries: Countries | undefined
}

/**
 * The page on which a person signs in to an application, and what its forms do, with the stages
 * that our blueprint adds to authentik's flow, in their order.
 */
export async function signIn(
  { store, notices, app, countries }: SignInParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { application, provider, openId } = app
  const details = await openId.interactionDetails(request, response).catch(() => undefined)
  if (!details) {
    const link = application.meta_launch_url
      ? { href: application.meta_launch_url, label: `Back to ${application.name}` }
      : undefined
    return sendPage(
      response,
      400,
      messagePage('This sign-in has expired', 'Start again from the application.', link),
    )
  }
  const show = (status: number, fault?: string, identifier = '') =>
    sendPage(
      response,
      status,
      signInPage({ store, application, provider, identifier, ...(fault && { fault }) }),
    )
  const signedIn = store.records.users.find((user) => user.uid === details.session?.accountId)
  const denied = details.prompt.name === 'access'

  if (request.method !== 'POST') {
    if (denied)
      return sendPage(
        response,
        403,
        deniedPage(application, signedIn?.email ?? 'This person', provider),
      )
    const hint = details.params.login_hint
    return show(200, undefined, typeof hint === 'string' ? hint : '')
  }

  const form = await readForm(request)
  if (form.has('switch')) return show(200)
  const result = form.has('proof')
    ? proven(store, form, details.uid)
    : identify(store, form, { address: addressOf(request), countries })
  if ('fault' in result) return show(result.status, result.fault, form.get('identifier') ?? '')
  const { user } = result
  // A person of the list gave no password.
  const listed = form.get('person')
  const step = (): Step => ({
    provider,
    user,
    fields:
      listed === null
        ? { user: String(user.pk), proof: proofOf(store, user, details.uid) }
        : { person: listed },
  })
  if (isSecondFactorMissing(store, user)) {
    const factor = factors.find(({ kind }) => kind === form.get('factor'))
    if (!factor) return sendPage(response, 200, secondFactorPage(step()))
    addDevice(store, user, { ...factor, confirmed: true })
  }
  if (hasTemporaryPassword(user) && listed === null) {
    const password = form.get('new-password')
    const fault = password === null ? undefined : unfit(user, form)
    if (password === null || fault)
      return sendPage(response, fault ? 400 : 200, firstPasswordPage(step(), fault))
    changePassword(store, user, password)
  }

  if (signedIn && signedIn !== user) {
    // Another person takes over the browser: the previous session ends here, otherwise the provider
    // asks to confirm it on a page with a script.
    const login = store.records.logins.find((one) => one.uid === details.session?.uid)
    if (login) endLogin(store, notices, login)
    delete details.session
    await details.save(Math.max(1, details.exp - Math.floor(store.now() / 1000)))
  }
  user.last_login = isoNow(store)
  store.changed()
  const login = { accountId: user.uid, acr, amr: amrOf(store, user), remember: true }
  await openId.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false })
}

type Identified = { user: UserRecord } | { status: number; fault: string }

/** What a person may set up in a sign-in that requires a second factor. */
const factors = [
  { kind: 'webauthn', name: 'Passkey' },
  { kind: 'totp', name: 'Authenticator app' },
] as const

function identify(
  store: Store,
  form: URLSearchParams,
  place: { address: string; countries: Countries | undefined },
): Identified {
  const chosen = demoPeople.find((person) => person.email === form.get('person'))
  const user = userForSignIn(store, chosen?.email ?? form.get('identifier') ?? '')
  const known =
    user && (chosen !== undefined || passwordMatches(user.password, form.get('password') ?? ''))
  if (!user || !known) return { status: 401, fault: 'The name or the password is wrong.' }
  if (!user.is_active) return { status: 403, fault: 'This account is deactivated.' }
  if (isAccessRejected(store, user, place)) return { status: 403, fault: accessRejected }
  if (chosen === undefined && isExpired(store, user)) return { status: 403, fault: expired }
  return { user }
}

/** The person of a later step, who gave the password in this sign-in. */
function proven(store: Store, form: URLSearchParams, interaction: string): Identified {
  const user = store.records.users.find((one) => String(one.pk) === form.get('user'))
  if (!user?.is_active || form.get('proof') !== proofOf(store, user, interaction))
    return { status: 403, fault: 'Sign in once more.' }
  if (isExpired(store, user)) return { status: 403, fault: expired }
  return { user }
}

const expired = 'This temporary password has expired. Ask for a new one.'

const hasTemporaryPassword = (user: UserRecord) => user.attributes[changeRequired] === true

function isExpired(store: Store, user: UserRecord): boolean {
  const expiresAt = user.attributes[passwordExpiresAt]
  return (
    hasTemporaryPassword(user) &&
    typeof expiresAt === 'string' &&
    Date.parse(expiresAt) <= store.now()
  )
}

/** Proves that the password was given in this sign-in; void once it is replaced. */
function proofOf(store: Store, { pk, password }: UserRecord, interaction: string): string {
  return createHmac('sha256', store.records.secret)
    .update(`${interaction}:${pk}:${password}`)
    .digest('hex')
}

/** What is wrong with the person's own password in place of the temporary one. */
function unfit(user: UserRecord, form: URLSearchParams): string | undefined {
  const password = form.get('new-password') ?? ''
  if (password === '') return 'The password may not be blank.'
  if (password !== form.get('new-password-repeat')) return 'The two passwords differ.'
  if (passwordMatches(user.password, password))
    return 'Choose another password than the one that you were given.'
  return undefined
}
