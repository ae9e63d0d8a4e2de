import { hashPassword } from './passwords.ts'
import {
  type ApplicationRecord,
  type GroupRecord,
  isoNow,
  type ProviderRecord,
  type Store,
  type UserRecord,
} from './records.ts'

/** The groups that the user is a direct member of, in the order in which they were made. */
export function groupsOf(store: Store, user: UserRecord): GroupRecord[] {
  return store.records.groups.filter((group) => user.groups.includes(group.pk))
}

/** Direct groups and all their ancestors: what policy bindings and superuser rights count. */
export function allGroupsOf(store: Store, user: UserRecord): GroupRecord[] {
  const found = new Map<string, GroupRecord>()
  const waiting = [...user.groups]
  for (let pk = waiting.pop(); pk !== undefined; pk = waiting.pop()) {
    const group = store.records.groups.find((one) => one.pk === pk)
    if (!group || found.has(group.pk)) continue
    found.set(group.pk, group)
    waiting.push(...group.parents)
  }
  return [...found.values()]
}

export function isSuperuser(store: Store, user: UserRecord): boolean {
  return allGroupsOf(store, user).some((group) => group.is_superuser)
}

/** A person by subject; undefined when there is none or the person may not sign in. */
export function activeUserBySubject(store: Store, subject: string): UserRecord | undefined {
  return store.records.users.find((user) => user.uid === subject && user.is_active)
}

/** A person by e-mail address, without regard to case; the first one when several share it. */
export function userByEmail(store: Store, email: string): UserRecord | undefined {
  const requested = email.trim().toLowerCase()
  return requested === ''
    ? undefined
    : store.records.users.find((user) => user.email.toLowerCase() === requested)
}

/**
 * The person a sign-in form means: by user name first, then by e-mail address, both without regard
 * to case.
 */
export function userForSignIn(store: Store, identifier: string): UserRecord | undefined {
  const requested = identifier.trim().toLowerCase()
  return (
    store.records.users.find((user) => user.username.toLowerCase() === requested) ??
    userByEmail(store, requested)
  )
}

/**
 * Whether the bindings of the application admit the user: no binding admits everyone, else `any` or
 * `all` of them must pass.
 */
export function mayUse(store: Store, application: ApplicationRecord, user: UserRecord): boolean {
  const bindings = store.records.bindings.filter(
    (binding) => binding.target === application.pk && binding.enabled,
  )
  if (bindings.length === 0) return true
  const groups = allGroupsOf(store, user)
  const passes = bindings.map((binding) => {
    const matches =
      binding.group !== null
        ? groups.some((group) => group.pk === binding.group)
        : binding.user === user.pk
    return matches !== binding.negate
  })
  return application.policy_engine_mode === 'all' ? passes.every(Boolean) : passes.some(Boolean)
}

/** An application with its OAuth2 provider, by slug; undefined when either is missing. */
export function applicationBySlug(
  store: Store,
  slug: string,
): { application: ApplicationRecord; provider: ProviderRecord } | undefined {
  const application = store.records.applications.find((one) => one.slug === slug)
  const provider = store.records.providers.find((one) => one.pk === application?.provider)
  return application && provider ? { application, provider } : undefined
}

/** The marks of a temporary password, as our blueprint's flows read and remove them. */
export const changeRequired = 'atrium_password_change_required'
export const passwordExpiresAt = 'atrium_password_expires_at'

/** A password that the person chose: it ends a temporary one. */
export function changePassword(store: Store, user: UserRecord, password: string): void {
  user.password = hashPassword(password)
  user.password_change_date = isoNow(store)
  delete user.attributes[changeRequired]
  delete user.attributes[passwordExpiresAt]
  store.changed()
}
