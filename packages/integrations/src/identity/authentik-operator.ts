import { z } from 'zod'
import { type SetupAccess, type SetupCalls, setupCalls } from './authentik-setup-calls.ts'

const User = z.object({
  pk: z.int(),
  username: z.string(),
  is_active: z.boolean(),
  last_login: z.string().nullish(),
})
const Group = z.object({ pk: z.string().min(1), name: z.string() })

export interface FirstOperator extends SetupAccess {
  email: string
  name: string
  /** The group whose people are operators. */
  group: string
}

/**
 * Creates the identity of an operator, or finds the one with this address, and adds it to the group
 * of operators. Idempotent. Rejects with `UpstreamError`; throws where the group is missing, the
 * identity is not active, or another one has the address.
 */
export async function ensureOperator({
  email,
  name,
  group,
  ...access
}: FirstOperator): Promise<{ id: number; signedInBefore: boolean }> {
  const calls = setupCalls(access)
  const username = email.toLowerCase()
  const groups = await calls.list('core/groups/', { name: group, include_users: 'false' }, Group)
  const operators = groups.find((one) => one.name === group)
  if (!operators) throw new Error(`There is no group ${group}: apply the blueprint first.`)
  const others = await calls.list('core/users/', { email: username, include_groups: 'false' }, User)
  const other = others.find((one) => one.username !== username)
  // People sign in by address or username, and authentik takes the first identity that fits.
  if (other)
    throw new Error(
      `The identity ${other.username} has the address ${username} too, so ${username} could not sign in. Give it another address at authentik, or name another operator.`,
    )
  const known = await findUser(calls, username)
  if (known && !known.is_active)
    throw new Error(
      `The identity ${username} is not active. Activate it at authentik, or name another operator.`,
    )
  const user =
    known ??
    (await calls.send({
      method: 'POST',
      path: 'core/users/',
      body: { username, email: username, name, type: 'internal', path: 'users', groups: [] },
      accept: [201],
      read: ({ json }) => User.parse(json),
    }))
  await calls.send({
    method: 'POST',
    path: `core/groups/${operators.pk}/add_user/`,
    body: { pk: user.pk },
    accept: [204],
    read: () => undefined,
  })
  return { id: user.pk, signedInBefore: typeof user.last_login === 'string' }
}

/**
 * A link by which a person chooses the password, once. authentik builds it from the address it was
 * asked at; `publicUrl` is the one that people reach. Rejects with `UpstreamError`.
 */
export async function createPasswordLink(
  access: SetupAccess,
  { userId, publicUrl }: { userId: number; publicUrl: string },
): Promise<string> {
  const { link } = await setupCalls(access).send({
    method: 'POST',
    path: `core/users/${userId}/recovery/`,
    body: { token_duration: 'hours=24' },
    read: ({ json }) => z.object({ link: z.url() }).parse(json),
  })
  const { pathname, search } = new URL(link)
  return new URL(`${pathname}${search}`, publicUrl).href
}

/** Proves address and token. Rejects with `UpstreamError`. */
export async function checkSetupAccess(access: SetupAccess): Promise<void> {
  await setupCalls(access).send({
    method: 'GET',
    path: 'core/users/me/',
    read: () => undefined,
  })
}

async function findUser(calls: SetupCalls, username: string) {
  const users = await calls.list('core/users/', { username, include_groups: 'false' }, User)
  return users.find((one) => one.username === username)
}
