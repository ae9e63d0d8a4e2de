import { auditActions } from '@atrium/core/audit'

/**
 * An action as words: `tenant.created` is "Tenant created", `platform.user_invited` is "Platform user invited". `tenantWord` is what the
 * readers call a tenant.
 */
export function actionWords(action: string, tenantWord = 'tenant'): string {
  const words = action
    .replace(/^tenant(?=\.)/, tenantWord)
    .replace(/[._]+/g, ' ')
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What an action filter suggests: each resource as a leading part (`tenant.*`), then its actions one by one. */
export function actionSuggestions(actions: readonly string[] = auditActions): { group: string; items: string[] }[] {
  const byResource = new Map<string, string[]>()
  for (const action of actions) {
    const resource = action.slice(0, action.indexOf('.'))
    byResource.set(resource, [...(byResource.get(resource) ?? [`${resource}.*`]), action])
  }
  return [...byResource].map(([resource, items]) => ({ group: actionWords(resource), items }))
}
