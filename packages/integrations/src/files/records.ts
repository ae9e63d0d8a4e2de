import { z } from 'zod'

// The parts of libre-graph's answers that we read. Unknown fields are dropped, so new ones change nothing.

// Unlimited space answers 2^63-1, which is no safe integer in JavaScript: plain numbers, not `z.int`.
const bytes = z.number().optional()
export const Drive = z.object({
  id: z.string().min(1),
  name: z.string().optional(),
  driveAlias: z.string().optional(),
  driveType: z.string(),
  quota: z.object({ total: bytes, used: bytes, remaining: bytes, state: z.string().optional() }).optional(),
  root: z.object({ deleted: z.object({ state: z.string() }).optional() }).optional(),
})
export type Drive = z.infer<typeof Drive>

// The list of an empty storage is `null`, or an object without `value`.
export const Drives = z.object({ value: z.array(Drive).nullish() }).nullable()
export const Me = z.object({ id: z.string().min(1), appRoleAssignments: z.array(z.object({ appRoleId: z.string() })).nullish() })

export const Account = z.object({
  id: z.string().min(1),
  onPremisesSamAccountName: z.string(),
  accountEnabled: z.boolean().nullish(),
})
export type Account = z.infer<typeof Account>

export const Permission = z.object({ id: z.string().min(1) })
// Who may see the list is a manager and stands in it, so unlike other lists it is never absent.
export const Permissions = z.object({ value: z.array(Permission) })

export function isDisabled(drive: Drive): boolean {
  return drive.root?.deleted?.state === 'trashed'
}
