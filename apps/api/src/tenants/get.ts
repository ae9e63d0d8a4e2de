import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { TenantRole, TenantView } from '@atrium/core/tenants/tenants'
import { findTenant } from '@atrium/db/tenants/tenants'
import type { Services } from '../rpc/services.ts'
import { toTenantView } from './view.ts'

/** The tenant as the caller sees it. Who may see it was decided by a guard. */
export async function readTenant(
  services: Services,
  slug: string,
  role: TenantRole | null,
): Promise<TenantView> {
  const row = await findTenant(services.database, slug)
  if (!row) throw new AppError('not_found', errorText('unknownTenantSlug'))
  return toTenantView(row, role, services.clock.now())
}
