import { auditActions } from '@atrium/core/audit/audit'
import type { ServiceTokenKind } from '@atrium/core/service-tokens/scopes'
import { translations } from './messages.ts'

const t = translations('ui.audit')

/** What the readers call a tenant. */
export type TenantNoun = 'tenant' | 'workplace'

/**
 * An action as people read it: `tenant.created` is "Tenant created" or "Workplace created". One
 * that only a newer server records is its name in words.
 */
export function actionLabel(action: string, tenantNoun: TenantNoun = 'tenant'): string {
  const key = `actions.${action}` as 'actions.tenant.created'
  if (t.has(key)) return t(key, { tenant: t(`nouns.${tenantNoun}`) })
  const words = action.replace(/[._]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What belongs to the platform or to partners: entries about it are in the log of no tenant. */
const ofNoTenant: ReadonlySet<string> = new Set([
  ...[
    'flag',
    'ledger',
    'partner',
    'partner_settings',
    'partner_team',
    'payout',
    'platform',
    'price',
    'user',
  ],
])

/** What programs of a partner get events of: the partner itself and the state of its customers. */
const ofPartners: ReadonlySet<string> = new Set([
  ...['access_grant', 'approval', 'invoice', 'subscription', 'tenant', 'partner_transfer'],
  ...['partner', 'partner_settings', 'partner_team', 'ledger', 'payout'],
  ...['invitation', 'service_token', 'webhook_endpoint'],
])

const resourceOf = (action: string) => action.slice(0, action.indexOf('.'))

/** Actions that the log of a tenant can hold. */
export const tenantActions: readonly string[] = auditActions.filter(
  (action) => !ofNoTenant.has(resourceOf(action)),
)

/** Actions that events of each owner can be about. */
export const actionsOf: Readonly<Record<ServiceTokenKind, readonly string[]>> = {
  tenant: tenantActions,
  partner: auditActions.filter((action) => ofPartners.has(resourceOf(action))),
  platform: auditActions,
}

/**
 * What an action filter suggests: each resource as a leading part (`tenant.*`), then its actions
 * one by one.
 */
export function actionSuggestions(
  actions: readonly string[] = auditActions,
): { group: string; items: string[] }[] {
  const byResource = new Map<string, string[]>()
  for (const action of actions) {
    const resource = resourceOf(action)
    byResource.set(resource, [...(byResource.get(resource) ?? [`${resource}.*`]), action])
  }
  return [...byResource].map(([resource, items]) => ({ group: resourceLabel(resource), items }))
}

/** A kind of record as people read it; one that only a newer server knows by its own name. */
export function resourceLabel(resource: string, tenantNoun: TenantNoun = 'tenant'): string {
  const key = `resources.${resource}` as 'resources.tenant'
  return t.has(key) ? t(key, { tenant: t(`nouns.${tenantNoun}`) }) : resource
}
