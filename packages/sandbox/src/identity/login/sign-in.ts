import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { demoPeople } from '@atrium/core/demo/demo'
import { acr, amrOf } from '../oidc/claims.ts'
import { endLogin } from '../oidc/logins.ts'
import type { LogoutNotices } from '../oidc/logout.ts'
import type { Application } from '../oidc/providers.ts'
import { passwordMatches } from '../passwords.ts'
import { changePassword, changeRequired, passwordExpiresAt, userForSignIn } from '../people.ts'
import { isoNow, type Store, type UserRecord } from '../records.ts'
import { readForm, sendPage } from './http.ts'
import { deniedPage, firstPasswordPage, messagePage, signInPage } from './pages.ts'

/** The page on which a person signs in to an application, and what its forms do. */
export async function signIn(
  store: Store,
  notices: LogoutNotices,
  app: Application,
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
  const result = form.has('proof') ? firstPassword(store, form, details.uid) : identify(store, form)
  if ('fault' in result) return show(result.status, result.fault, form.get('identifier') ?? '')
  const { user, retry: fault } = result
  // A person of the list gave no password.
  if (hasTemporaryPassword(user) && !form.has('person')) {
    const proof = proofOf(store, user, details.uid)
    return sendPage(response, fault ? 400 : 200, firstPasswordPage(provider, user, proof, fault))
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

interface SignedIn {
  user: UserRecord
  /** What was wrong with the new password. */
  retry?: string
}

function identify(
  store: Store,
  form: URLSearchParams,
): SignedIn | { status: number; fault: string } {
  const chosen = demoPeople.find((person) => person.email === form.get('person'))
  const user = userForSignIn(store, chosen?.email ?? form.get('identifier') ?? '')
  const proven =
    user && (chosen !== undefined || passwordMatches(user.password, form.get('password') ?? ''))
  if (!user || !proven) return { status: 401, fault: 'The name or the password is wrong.' }
  if (!user.is_active) return { status: 403, fault: 'This account is deactivated.' }
  if (chosen === undefined && isExpired(store, user)) return { status: 403, fault: expired }
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

/** Proves that the temporary password was given in this sign-in; void once it is replaced. */
function proofOf(store: Store, { pk, password }: UserRecord, interaction: string): string {
  return createHmac('sha256', store.records.secret)
    .update(`${interaction}:${pk}:${password}`)
    .digest('hex')
}

/** Takes the person's own password in place of the temporary one. */
function firstPassword(
  store: Store,
  form: URLSearchParams,
  interaction: string,
): SignedIn | { status: number; fault: string } {
  const user = store.records.users.find((one) => String(one.pk) === form.get('user'))
  if (!user?.is_active || form.get('proof') !== proofOf(store, user, interaction))
    return { status: 403, fault: 'Sign in once more.' }
  if (isExpired(store, user)) return { status: 403, fault: expired }
  const password = form.get('new-password') ?? ''
  if (password === '') return { user, retry: 'The password may not be blank.' }
  if (password !== form.get('new-password-repeat'))
    return { user, retry: 'The two passwords differ.' }
  if (passwordMatches(user.password, password))
    return { user, retry: 'Choose another password than the one that you were given.' }
  changePassword(store, user, password)
  return { user }
}
