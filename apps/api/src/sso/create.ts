import { randomBytes } from 'node:crypto'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { trimEnd } from '@atrium/core/platform/trim'
import type { CreatedSsoApp, CreateSsoApp } from '@atrium/core/sso/sso'
import { slugify } from '@atrium/core/tenants/slugs'
import type { Trx } from '@atrium/db/platform/connect'
import { violatedConstraint } from '@atrium/db/platform/failures'
import {
  activateSsoApp,
  beginSsoAppRemoval,
  countSsoApps,
  insertPendingSsoApp,
  type SsoAppRow,
} from '@atrium/db/sso/sso'
import type { IdentityProvider, SsoApplication } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { rejectLimited } from '../billing/invoices/limits.ts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, rejectFormerDelegate } from '../rpc/open-tenant.ts'
import type { Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { deprovision } from './deprovision.ts'
import { requireSsoProvider } from './provider.ts'
import { toSsoAppView } from './view.ts'

/**
 * Registers an application that the tenant's people sign in to, and returns its secret once. It is
 * recorded before the provider is called, so that nothing unknown is left there: failures are
 * removed immediately, else by `sweepSsoApps`. 409 `tenant_not_provisioned` while the tenant has no
 * group, 502 `upstream_failed` with the part that failed.
 */
export async function createSsoApp(
  ctx: Context,
  access: Access,
  input: CreateSsoApp,
): Promise<CreatedSsoApp> {
  const { services } = ctx
  const identity = requireSsoProvider(services)
  const { row, groupId, partnerSlug } = await writeDown(services, access, input)
  // 384 bits: it cannot be guessed, and needs no escaping in a header or a form.
  const clientSecret = randomBytes(48).toString('base64url')
  const entry: AuditEntry = {
    action: 'sso_app.created',
    resourceType: 'sso_app',
    resourceId: row.id,
    resourceName: row.name,
    tenantSlug: access.tenant.slug,
    partnerSlug,
    metadata: { clientId: row.clientId, redirectUris: row.redirectUris },
  }
  await carryOut(services, identity, row, { groupId, clientSecret }, (trx) =>
    services.audit.record(ctx, access.caller, entry, trx),
  )
  return { ...toSsoAppView(services, row, 'active'), clientSecret }
}

function writeDown(services: Services, access: Access, input: CreateSsoApp) {
  return tenantTransaction(services, access.tenant.id, async (trx) => {
    const tenant = await lockOpenTenant(trx, input.slug)
    await rejectFormerDelegate(trx, access)
    await rejectLimited(trx, services, tenant.id)
    if (!tenant.identityGroupId) throw new AppError('tenant_not_provisioned')
    await services.limits.requireCapacity(
      trx,
      'sso_apps',
      tenant.id,
      await countSsoApps(trx, tenant.id),
    )
    const row = await insertPendingSsoApp(trx, {
      tenantId: tenant.id,
      name: input.name,
      slug: applicationSlug(tenant.slug, input.name),
      clientId: randomBytes(20).toString('hex'),
      redirectUris: input.redirectUris,
      launchUrl: input.launchUrl ?? null,
    })
    return { row, groupId: tenant.identityGroupId, partnerSlug: tenant.partnerSlug }
  }).catch((error: unknown) => {
    if (violatedConstraint(error) !== 'sso_apps_name') throw error
    throw new AppError('already_exists', errorText('applicationNameTaken'), {
      cause: error,
    })
  })
}

/**
 * `<tenant>-<name>-<random>`, at most 50 characters, which is what older releases of the provider
 * take.
 */
export function applicationSlug(tenantSlug: string, name: string): string {
  const random = randomBytes(4).toString('hex')
  const readable = `${tenantSlug.slice(0, 24)}-${slugify(name) ?? 'app'}`.slice(
    0,
    50 - random.length - 1,
  )
  return `${trimEnd(readable, /-/)}-${random}`
}

async function carryOut(
  services: Services,
  identity: IdentityProvider,
  row: SsoAppRow,
  secrets: { groupId: string; clientSecret: string },
  record: (trx: Trx) => Promise<void>,
): Promise<void> {
  let made: SsoApplication
  try {
    made = await identity.createSsoApplication({
      slug: row.slug,
      name: row.name,
      redirectUris: row.redirectUris,
      launchUrl: row.launchUrl ?? undefined,
      clientId: row.clientId,
      ...secrets,
    })
  } catch (error) {
    throw await withdrawn(services, row, error)
  }
  const active = await services.database.db.transaction().execute(async (trx) => {
    if (!(await activateSsoApp(trx, row.id, made.providerId))) return false
    await record(trx)
    return true
  })
  if (active) return
  // The clean-up took it for abandoned, so the provider may lack parts of it by now.
  await deprovision(services, identity, { ...row, providerId: made.providerId })
  throw new AppError('upstream_failed', errorText('applicationWithdrawn'))
}

/** The rejection that names the failure, after removing what may be at the provider. */
async function withdrawn(services: Services, row: SsoAppRow, error: unknown): Promise<unknown> {
  const { db } = services.database
  await beginSsoAppRemoval(db, row.id)
  const identity = services.systems.identity
  const clean = identity !== null && (await deprovision(services, identity, row))
  if (!(error instanceof UpstreamError)) return error
  const consequence = clean ? errorText('nothingLeftBehind') : errorText('remainsAreRemoved')
  return new AppError(
    'upstream_failed',
    errorText('messageConsequence', { message: error.message, consequence }),
    { cause: error },
  )
}
