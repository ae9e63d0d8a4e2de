import { isIP } from 'node:net'
import type { AuditAction } from '@atrium/core/audit/audit'
import { changedFields } from '@atrium/core/audit/audit'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type {
  CreateWebhookEndpoint,
  RotateWebhookSecret,
  UpdateWebhookEndpoint,
  WebhookEndpointPath,
  WebhookEndpointView,
  WebhookEndpointWithSecret,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { endOfEvents } from '@atrium/db/events/events'
import type { Trx } from '@atrium/db/platform/connect'
import {
  deleteWebhookEndpoint,
  type EndpointChange,
  findWebhookEndpoint,
  insertWebhookEndpoint,
  listWebhookEndpoints,
  newEndpointId,
  updateWebhookEndpoint,
  type WebhookEndpointRow,
} from '@atrium/db/webhook-endpoints/webhook-endpoints'
import { endpointSecretContext } from '../platform/endpoint-secret-context.ts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { TransactionContext } from '../rpc/services.ts'
import type { Holder } from '../service-tokens/owner.ts'
import { keyringOf, newEndpointSecret } from './secret.ts'
import { toEndpointView } from './view.ts'

const hourMs = 3_600_000

/**
 * Creates an endpoint that gets the events from now on, and returns its secret. Throws AppError
 * `invalid_input`, `integration_off`, `limit_reached`, and what the change of its owner throws.
 */
export async function createWebhookEndpoint(
  ctx: Context,
  holder: Holder,
  { url, description, types }: CreateWebhookEndpoint,
): Promise<WebhookEndpointWithSecret> {
  const { services } = ctx
  const { owner } = holder
  rejectUnusable(ctx, url)
  const keyring = keyringOf(services)
  const secret = newEndpointSecret()
  const now = services.clock.now()
  const row = await holder.change(async (trx) => {
    await services.limits.requireCapacity(
      trx,
      'webhook_endpoints',
      owner.kind === 'tenant' ? owner.tenantId : undefined,
      (await listWebhookEndpoints(trx, owner)).length,
    )
    const id = await newEndpointId(trx)
    await insertWebhookEndpoint(trx, owner, {
      id,
      url,
      description,
      types: [...new Set(types)],
      secret: keyring.encrypt(secret, endpointSecretContext(id)),
      createdBy: holder.caller.id ?? null,
      createdAt: now,
      cursor: await endOfEvents(trx),
    })
    const created = await endpointOf(trx, holder, id)
    await recordEndpoint(ctx, trx, holder, created, 'webhook_endpoint.created', {
      types: created.types,
    })
    return created
  })
  return { ...toEndpointView(row, now), secret }
}

/**
 * Changes an endpoint; `enabled` switches it off or on again. While it is off, events wait in their
 * order. Throws AppError `not_found`, `invalid_input`, and what the change of its owner throws.
 */
export async function changeWebhookEndpoint(
  ctx: Context,
  holder: Holder,
  { id, url, description, types, enabled }: UpdateWebhookEndpoint,
): Promise<WebhookEndpointView> {
  if (url !== undefined) rejectUnusable(ctx, url)
  const now = ctx.services.clock.now()
  const changed = await holder.change(async (trx) => {
    const before = await endpointOf(trx, holder, id)
    const off = before.disabledAt !== null
    const change: EndpointChange = {
      ...(url !== undefined && { url }),
      ...(description !== undefined && { description }),
      ...(types && { types: [...new Set(types)] }),
      ...(enabled === false && !off && { disabled_at: now, disabled_reason: 'person' }),
      ...(enabled === true && off && { disabled_at: null, disabled_reason: null }),
    }
    if (Object.keys(change).length > 0) await updateWebhookEndpoint(trx, id, change)
    const after = await endpointOf(trx, holder, id)
    await recordEndpoint(ctx, trx, holder, after, 'webhook_endpoint.updated', {
      changes: changedFields(toEndpointView(before, now), toEndpointView(after, now), [
        ...['url', 'description', 'types', 'disabledAt'],
      ]),
    })
    return after
  })
  return toEndpointView(changed, now)
}

/**
 * Gives an endpoint a new secret and returns it. During the overlap deliveries have a signature of
 * either. Throws as `changeWebhookEndpoint`, and `integration_off`.
 */
export async function rotateWebhookSecret(
  ctx: Context,
  holder: Holder,
  { id, overlapHours }: RotateWebhookSecret,
): Promise<WebhookEndpointWithSecret> {
  const keyring = keyringOf(ctx.services)
  const secret = newEndpointSecret()
  const now = ctx.services.clock.now()
  const row = await holder.change(async (trx) => {
    const before = await endpointOf(trx, holder, id)
    await updateWebhookEndpoint(trx, id, {
      secret: keyring.encrypt(secret, endpointSecretContext(id)),
      previous_secret: before.secret,
      previous_ends_at: new Date(now.getTime() + overlapHours * hourMs),
    })
    await recordEndpoint(ctx, trx, holder, before, 'webhook_endpoint.secret_rotated', {
      overlapHours,
    })
    return endpointOf(trx, holder, id)
  })
  return { ...toEndpointView(row, now), secret }
}

/** Removes an endpoint with its log. Throws as `changeWebhookEndpoint`. */
export async function removeWebhookEndpoint(
  ctx: Context,
  holder: Holder,
  { id }: WebhookEndpointPath,
): Promise<void> {
  await holder.change(
    async (trx) => {
      const found = await endpointOf(trx, holder, id)
      await deleteWebhookEndpoint(trx, id)
      await recordEndpoint(ctx, trx, holder, found, 'webhook_endpoint.removed')
    },
    ['suspended', 'deleted'],
  )
}

/** Throws AppError `not_found` for an endpoint of others. */
export async function endpointOf(
  db: Trx | Parameters<typeof findWebhookEndpoint>[0],
  { owner }: Pick<Holder, 'owner'>,
  id: string,
): Promise<WebhookEndpointRow> {
  const row = await findWebhookEndpoint(db, owner, id)
  if (!row) throw new AppError('not_found', errorText('unknownWebhookEndpoint'))
  return row
}

/**
 * Records an act on an endpoint in its transaction. Addresses may hold a secret in their path, so
 * only the host is named.
 */
export function recordEndpoint(
  ctx: TransactionContext,
  trx: Trx,
  { caller, place }: Holder,
  { id, url }: Pick<WebhookEndpointRow, 'id' | 'url'>,
  action: Extract<AuditAction, `webhook_endpoint.${string}`>,
  metadata: Record<string, unknown> = {},
): Promise<void> {
  const entry: AuditEntry = {
    action,
    resourceType: 'webhook_endpoint',
    resourceId: id,
    resourceName: new URL(url).host,
    ...place,
    metadata,
  }
  return ctx.services.audit.record(ctx, caller, entry, trx)
}

/** Plain http and addresses inside of networks are for those that an operator named. */
function rejectUnusable({ services }: Context, text: string): void {
  const url = new URL(text)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (services.config.webhookAddresses.includes(host)) return
  const fault =
    url.protocol !== 'https:' ? 'webhookHttps' : isIP(host) !== 0 ? 'webhookByName' : undefined
  if (fault === undefined) return
  throw new AppError('invalid_input', undefined, {
    issues: [{ path: 'url', message: errorText(fault) }],
  })
}
