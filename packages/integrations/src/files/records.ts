import { z } from 'zod'

// The parts of libre-graph responses that we read. Unknown fields are dropped, so new ones change
// nothing.

// Unlimited space is reported as 2^63-1, which is no safe integer in JavaScript: plain numbers, not
// `z.int`.
const bytes = z.number().optional()
export const Drive = z.object({
  id: z.string().min(1),
  name: z.string().optional(),
  driveAlias: z.string().optional(),
  driveType: z.string(),
  quota: z
    .object({ total: bytes, used: bytes, remaining: bytes, state: z.string().optional() })
    .optional(),
  root: z.object({ deleted: z.object({ state: z.string() }).optional() }).optional(),
})
export type Drive = z.infer<typeof Drive>

// The list of an empty storage is `null`, or an object without `value`.
export const Drives = z.object({ value: z.array(Drive).nullish() }).nullable()
export const Status = z.object({ productversion: z.string().min(1) })
export const Me = z.object({
  id: z.string().min(1),
  appRoleAssignments: z.array(z.object({ appRoleId: z.string() })).nullish(),
})

export const Rejection = z.object({ error: z.object({ message: z.string() }) })

export const Account = z.object({
  id: z.string().min(1),
  onPremisesSamAccountName: z.string(),
  accountEnabled: z.boolean().nullish(),
  identities: z
    .array(z.object({ issuer: z.string().optional(), issuerAssignedId: z.string().optional() }))
    .nullish(),
})
export type Account = z.infer<typeof Account>

const Named = z.object({ displayName: z.string().nullish() })
export const Permission = z.object({
  id: z.string().min(1),
  grantedToV2: z.object({ user: Named.nullish() }).nullish(),
})
// Only managers may see the list, and they are in it, so unlike other lists it is never absent.
export const Permissions = z.object({ value: z.array(Permission) })

export function isDisabled(drive: Drive): boolean {
  return drive.root?.deleted?.state === 'trashed'
}
