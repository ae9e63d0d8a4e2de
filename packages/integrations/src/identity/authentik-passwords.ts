import type { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import { type HttpClient, shaped } from '../http-client.ts'
import { userPath } from './authentik-paths.ts'
import { readUserRecord } from './authentik-user-record.ts'
import type { IdentityProvider } from './port.ts'
import { UserWithAttributes, UserWithPasswordDate } from './records.ts'

type PasswordMethods = Pick<IdentityProvider, 'setPassword' | 'settleTemporaryPassword'>

type Attributes = Record<string, unknown>

/** The attributes that our authentication flow reads (`deploy/authentik/atrium.yaml`). */
const changeRequired = 'atrium_password_change_required'
const expiresAt = 'atrium_password_expires_at'

/** The clocks of provider and platform may differ by so much. */
const clockToleranceMs = 5 * 60_000

/** Passwords, lasting and temporary ones. */
export function authentikPasswords(client: HttpClient): PasswordMethods {
  const write = (operation: Operation, userId: string, attributes: Attributes) =>
    client.send(operation, {
      label: 'PATCH /core/users/{id}/',
      method: 'PATCH',
      path: userPath(operation, userId),
      body: { attributes },
      repeatable: true,
      accept: [200],
      addressesObject: true,
      read: shaped(UserWithAttributes),
    })

  const set = (operation: Operation, userId: string, password: string) =>
    client.send(operation, {
      label: 'POST /core/users/{id}/set_password/',
      method: 'POST',
      path: userPath(operation, userId, 'set_password/'),
      body: { password },
      repeatable: true,
      accept: [204],
      addressesObject: true,
      read: () => undefined,
    })

  async function unmark(operation: Operation, userId: string, before: Attributes): Promise<void> {
    if (!(changeRequired in before) && !(expiresAt in before)) return
    const { [changeRequired]: _, [expiresAt]: __, ...attributes } = before
    await write(operation, userId, attributes)
  }

  return {
    setPassword: ({ userId, password, temporary }, options) =>
      client.operation('setPassword', options, async (operation) => {
        const { attributes } = await readUserRecord(client, operation, userId, UserWithAttributes)
        // Marked before it is set and unmarked afterwards: an interruption never leaves a temporary
        // password that looks like a lasting one.
        if (temporary)
          await write(operation, userId, {
            ...attributes,
            [changeRequired]: true,
            [expiresAt]: temporary.expiresAt.toISOString(),
          })
        await set(operation, userId, password)
        if (!temporary) await unmark(operation, userId, attributes)
      }),

    settleTemporaryPassword: ({ userId, issued }, options) =>
      client.operation('settleTemporaryPassword', options, async (operation) => {
        const user = await readUserRecord(client, operation, userId, UserWithPasswordDate)
        if (user.attributes[changeRequired] !== true) return 'changed'
        if (isOfLater(user.attributes[expiresAt], issued)) return 'reissued'
        if (!changedAfter(user, issued.at)) return 'unchanged'
        await unmark(operation, userId, user.attributes)
        return 'changed'
      }),
  }
}

/** Whether the person set another password, also where no flow of ours removes the marks. */
function changedAfter(user: z.infer<typeof UserWithPasswordDate>, issuedAt: Date): boolean {
  return Date.parse(user.password_change_date) > issuedAt.getTime() + clockToleranceMs
}

/** Whether the mark is that of a temporary password that was issued after this one. */
function isOfLater(mark: unknown, { expiresAt }: { expiresAt: Date }): boolean {
  return typeof mark === 'string' && Date.parse(mark) > expiresAt.getTime()
}
