import type { BulkAct } from './bulk.ts'

interface ActWords {
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

export const actWords: Readonly<Record<BulkAct, ActWords>> = {
  suspend: {
    verb: 'Suspend',
    effects: [
      'cannot sign in any more, and is signed out everywhere',
      'the mailbox is frozen: nothing in it is lost, and its password stays the same',
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
    effects: ['every session ends, on every device', 'can sign in again at once with the same password'],
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

/** "Suspend Ada" or "Suspend 3 members". */
export function actTitle(act: BulkAct, count: number, name?: string): string {
  const whom = count === 1 && name ? name : `${count} ${count === 1 ? 'member' : 'members'}`
  return `${actWords[act].verb} ${whom}${act === 'forceLogout' ? ' everywhere' : ''}`
}
