import { z } from 'zod'

/**
 * `permissions` of an account: nothing but its role, or names added to it and taken from it, or
 * names in its place.
 */
export const Permissions = z.looseObject({
  '@type': z.enum(['Inherit', 'Merge', 'Replace']),
  enabledPermissions: z.record(z.string(), z.unknown()).nullish(),
  disabledPermissions: z.record(z.string(), z.unknown()).nullish(),
})
export type Permissions = z.infer<typeof Permissions>

/**
 * Without this one every protocol rejects the account; it keeps password and mail, and mail goes on
 * arriving.
 */
const signIn = 'authenticate'

export function isFrozen({ disabledPermissions }: Permissions): boolean {
  return disabledPermissions?.[signIn] === true
}

/**
 * Without these nothing is sent: not over SMTP, not over JMAP, and no invitation from the calendar.
 * Mail goes on arriving and is read.
 */
const sending = ['emailSend', 'jmapEmailSubmissionCreate', 'calendarSchedulingSend']

/** The same without sign-in. */
export function frozen(before: Permissions): Permissions {
  return without(before, [signIn])
}

/** The same without sending. */
export function muted(before: Permissions): Permissions {
  return without(before, sending)
}

/** Whole, because the server takes no change inside a variant that is not the present one. */
function without(before: Permissions, names: readonly string[]): Permissions {
  return {
    '@type': before['@type'] === 'Replace' ? 'Replace' : 'Merge',
    enabledPermissions: before.enabledPermissions ?? {},
    disabledPermissions: {
      ...before.disabledPermissions,
      ...Object.fromEntries(names.map((name) => [name, true])),
    },
  }
}

/**
 * What was there before, with sign-in even when it was read from an account that was frozen
 * already.
 */
export function thawed(before: Permissions): Permissions {
  if (!isFrozen(before)) return before
  const { [signIn]: _, ...disabledPermissions } = before.disabledPermissions ?? {}
  return { ...before, disabledPermissions }
}
