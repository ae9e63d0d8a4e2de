import { AppError } from '@atrium/core/platform/errors'
import type { Access } from '../../rpc/guards.ts'

/**
 * Billing goes on while a tenant is suspended, because a suspension may be about a bill; not once
 * it is deleted.
 */
export function rejectDeleted({ tenant }: Access): void {
  if (tenant.status === 'deleted') throw new AppError('tenant_deleted')
}
