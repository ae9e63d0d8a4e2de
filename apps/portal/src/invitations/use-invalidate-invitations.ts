import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Forgets the invitations that the browser knows, after a change of one. */
export function useInvalidateInvitations() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () => void queryClient.invalidateQueries(trpc.invitations.pathFilter())
}
