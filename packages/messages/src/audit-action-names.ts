import en from './en/ui/audit.json' with { type: 'json' }

const names: Readonly<Record<string, Readonly<Record<string, string>>>> = en.actions

/**
 * What an action of the audit log, such as `member.created`, is called in English; for texts that
 * developers read. Returns the action itself where it has no name.
 */
export function auditActionName(action: string): string {
  const [record = '', verb = ''] = action.split('.')
  return names[record]?.[verb]?.replace('{tenant}', en.nouns.tenant) ?? action
}
