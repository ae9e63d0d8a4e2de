import { auditActions } from '@atrium/core/audit/audit'

/**
 * An action as words: `tenant.created` is "Tenant created", `platform.user_invited` is "Platform
 * user invited", `sso_app.created` is "SSO app created". `tenantNoun` is what the readers call a
 * tenant.
 */
export function actionLabel(action: string, tenantNoun = 'tenant'): string {
  const words = action
    .replace(/^tenant(?=\.)/, tenantNoun)
    .replace(/[._]+/g, ' ')
    .replace(/\b(?:dmarc|dns|sso)\b/g, (initials) => initials.toUpperCase())
    .trim()
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

/** Actions that the log of a tenant can hold. */
export const tenantActions: readonly string[] = auditActions.filter(
  (action) => !ofNoTenant.has(action.slice(0, action.indexOf('.'))),
)

/**
 * What an action filter suggests: each resource as a leading part (`tenant.*`), then its actions
 * one by one.
 */
export function actionSuggestions(
  actions: readonly string[] = auditActions,
): { group: string; items: string[] }[] {
  const byResource = new Map<string, string[]>()
  for (const action of actions) {
    const resource = action.slice(0, action.indexOf('.'))
    byResource.set(resource, [...(byResource.get(resource) ?? [`${resource}.*`]), action])
  }
  return [...byResource].map(([resource, items]) => ({ group: actionLabel(resource), items }))
}
