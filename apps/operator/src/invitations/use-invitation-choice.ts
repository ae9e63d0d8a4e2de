import { everyInvitation } from '@atrium/ui/invitation-list'
import { currentCursor } from '@atrium/ui/paging'
import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { useInvitationChanges } from './use-invitation-changes.ts'

/** Which invitations a list shows, and what operators do with them. */
export function useInvitationChoice() {
  const [choice, onChoose] = useState(everyInvitation)
  const { q, state, kind, cursors } = choice
  return {
    shown: { choice, onChoose, changes: useInvitationChanges() },
    page: { q, state, cursor: currentCursor(cursors), limit: 20 },
    kind,
    kept: { placeholderData: keepPreviousData },
  }
}
