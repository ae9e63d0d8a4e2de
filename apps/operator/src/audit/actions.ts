import { auditActions } from '@atrium/core/audit'

/** What the action filter suggests: each resource as a leading part (`tenant.*`), then its actions one by one. */
export function actionSuggestions(): { group: string; items: string[] }[] {
  const byResource = new Map<string, string[]>()
  for (const action of auditActions) {
    const resource = action.slice(0, action.indexOf('.'))
    byResource.set(resource, [...(byResource.get(resource) ?? [`${resource}.*`]), action])
  }
  return [...byResource].map(([resource, items]) => ({ group: resource, items }))
}
