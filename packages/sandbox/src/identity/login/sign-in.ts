import type { IncomingMessage, ServerResponse } from 'node:http'
import { demoPeople } from '@atrium/core/demo/demo'
import { acr, amr } from '../oidc/claims.ts'
import { endLogin } from '../oidc/logins.ts'
import type { LogoutNotices } from '../oidc/logout.ts'
import type { Application } from '../oidc/providers.ts'
import { passwordMatches } from '../passwords.ts'
import { userForSignIn } from '../people.ts'
import { isoNow, type Store, type UserRecord } from '../records.ts'
import { readForm, sendPage } from './http.ts'
import { deniedPage, messagePage, signInPage } from './pages.ts'

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
  const result = identify(store, form)
  if ('fault' in result) return show(result.status, result.fault, form.get('identifier') ?? '')
  const { user } = result

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
  const login = { accountId: user.uid, acr, amr, remember: true }
  await openId.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false })
}

function identify(
  store: Store,
  form: URLSearchParams,
): { user: UserRecord } | { status: number; fault: string } {
  const chosen = demoPeople.find((person) => person.email === form.get('person'))
  const user = userForSignIn(store, chosen?.email ?? form.get('identifier') ?? '')
  const proven =
    user && (chosen !== undefined || passwordMatches(user.password, form.get('password') ?? ''))
  if (!user || !proven) return { status: 401, fault: 'The name or the password is wrong.' }
  if (!user.is_active) return { status: 403, fault: 'This account is deactivated.' }
  return { user }
}
