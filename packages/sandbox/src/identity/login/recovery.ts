import type { IncomingMessage, ServerResponse } from 'node:http'
import { changePassword } from '../people.ts'
import { isoNow, type Store } from '../records.ts'
import { readForm, sendPage } from './http.ts'
import { messagePage, recoveryPage } from './pages.ts'

/** The page behind a recovery link: sets a new password once, then the link is used up. */
export async function recover(
  store: Store,
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
  if (request.method !== 'POST') return sendPage(response, 200, recoveryPage(user.email))
  const password = (await readForm(request)).get('password') ?? ''
  if (password === '')
    return sendPage(response, 400, recoveryPage(user.email, 'The password may not be blank.'))
  changePassword(store, user, password)
  delete store.records.recoveryTokens[String(user.pk)]
  sendPage(response, 200, messagePage('The password is set', 'You can sign in with it now.'))
}
