import type { PermissionSet } from './permissions.ts'

/** Who a request comes from. */
export interface Caller {
  readonly accountId: string
  readonly address: string
  /** What the credential may do. */
  readonly permissions: PermissionSet
  /** What the account may do, whatever its credential is limited to. */
  readonly accountPermissions: PermissionSet
}
