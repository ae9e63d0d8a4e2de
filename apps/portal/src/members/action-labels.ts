import { translations } from '@atrium/ui/messages'
import type { BulkAction } from './bulk.ts'

const t = translations('portal.members')

/**
 * What an action does to a member, one sentence each. A mail server asks for the password when a
 * mail program connects, and never again: nothing over its management ends an open connection.
 */
export function effectsOf(act: BulkAction): string[] {
  switch (act) {
    case 'suspend':
      return [
        t('actions.suspend.effects.signIn'),
        t('actions.suspend.effects.mailbox'),
        t('actions.suspend.effects.openConnections'),
        t('actions.suspend.effects.resume'),
      ]
    case 'resume':
      return [t('actions.resume.effects.signIn'), t('actions.resume.effects.mailbox')]
    case 'forceLogout':
      return [t('actions.forceLogout.effects.sessions'), t('actions.forceLogout.effects.signIn')]
    case 'remove':
      return [
        t('actions.remove.effects.membership'),
        t('actions.remove.effects.mailbox'),
        t('actions.remove.effects.final'),
      ]
  }
}

export function isDestructive(act: BulkAction): boolean {
  return act !== 'resume'
}

/** "Suspend Ada" or "Suspend 3 members". */
export function actionTitle(act: BulkAction, count: number, name?: string): string {
  return count === 1 && name
    ? t(`actions.${act}.one`, { member: name })
    : t(`actions.${act}.several`, { count })
}
