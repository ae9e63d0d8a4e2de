import type { IncomingMessage, ServerResponse } from 'node:http'
import { changePassword } from '../people.ts'
import { isoNow, type Store } from '../records.ts'
import { type Countries, isAccessRejected } from '../sign-in-rules.ts'
import { addressOf, readForm, sendPage } from './http.ts'
import { accessRejected, messagePage, recoveryPage } from './pages.ts'

/** The page behind a recovery link: sets a new password once, then the link is used up. */
export async function recover(
  { store, countries }: { store: Store; countries: Countries | undefined },
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const key = url.searchParams.get('flow_token')
  const [pk, token] =
    Object.entries(store.records.recoveryTokens).find(([, one]) => one.key === key) ?? []
  const user = store.records.users.find((one) => String(one.pk) === pk)
  if (!user || !token || token.expires <= isoNow(store)) {
    return sendPage(
      response,
      400,
      messagePage(
        'This link is not valid',
        'It has expired or was used already. Ask for a new one.',
      ),
    )
  }
  const fault = !user.is_active
    ? 'This account is not active.'
    : isAccessRejected(store, user, { address: addressOf(request), countries })
      ? accessRejected
      : undefined
  if (fault) return sendPage(response, 403, messagePage('Permission denied', fault))
  if (request.method !== 'POST') return sendPage(response, 200, recoveryPage(user.email))
  const password = (await readForm(request)).get('password') ?? ''
  if (password === '')
    return sendPage(response, 400, recoveryPage(user.email, 'The password may not be blank.'))
  changePassword(store, user, password)
  delete store.records.recoveryTokens[String(user.pk)]
  sendPage(response, 200, messagePage('The password is set', 'You can sign in with it now.'))
}
