import type { BulkAction } from './bulk.ts'

/**
 * The mail server asks for the password when a mail program connects, and never again. Nothing over
 * its management ends a connection.
 */
export const openMailConnections =
  'a mail program that is connected now can go on reading and writing mail until it disconnects, is silent for 30 minutes, or the mail server restarts'

interface ActionLabels {
  /** On the button: "Suspend 3 members". */
  verb: string
  /** What it does to a person, in the words of the question. */
  effects: readonly string[]
  /** While it goes on. */
  doing: string
  /** When it is done, after a name or a count: "Ada has been suspended". */
  done: string
  destructive: boolean
}

export const actionLabels: Readonly<Record<BulkAction, ActionLabels>> = {
  suspend: {
    verb: 'Suspend',
    effects: [
      'cannot sign in any more, and is signed out everywhere',
      'the mailbox is frozen: nothing in it is lost, and its password stays the same',
      openMailConnections,
      'can be resumed at any time',
    ],
    doing: 'Suspending',
    done: 'suspended',
    destructive: true,
  },
  resume: {
    verb: 'Resume',
    effects: ['can sign in again with the password from before', 'the mailbox opens again'],
    doing: 'Resuming',
    done: 'resumed',
    destructive: false,
  },
  forceLogout: {
    verb: 'Sign out',
    effects: [
      'every session and app sign-in ends, on every device',
      'can sign in again at once with the same password',
    ],
    doing: 'Signing out',
    done: 'signed out everywhere',
    destructive: true,
  },
  remove: {
    verb: 'Remove',
    effects: [
      'loses the membership and is signed out everywhere',
      'the mailbox with all mail and the file account are deleted, unless another workplace needs them',
      'this cannot be undone',
    ],
    doing: 'Removing',
    done: 'removed',
    destructive: true,
  },
}

/** An effect as a sentence of its own. */
export const sentenceOf = (effect: string) => `${effect.charAt(0).toUpperCase()}${effect.slice(1)}.`

/** "Suspend Ada" or "Suspend 3 members". */
export function actionTitle(act: BulkAction, count: number, name?: string): string {
  const whom = count === 1 && name ? name : `${count} ${count === 1 ? 'member' : 'members'}`
  return `${actionLabels[act].verb} ${whom}${act === 'forceLogout' ? ' everywhere' : ''}`
}
