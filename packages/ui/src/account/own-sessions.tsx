import type { EndedSessions, OwnSessions as Sessions } from '@atrium/core/account/sessions'
import {
  type QueryKey,
  type UseMutationOptions,
  type UseQueryOptions,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMutation } from '../use-mutation.ts'
import { SessionsPanel } from './sessions-panel.tsx'

interface Props<Failure, Key extends QueryKey> {
  sessions: UseQueryOptions<Sessions, Failure, Sessions, Key>
  endSession: UseMutationOptions<void, Failure, { id: string }>
  endSignIn: UseMutationOptions<void, Failure, { id: string }>
  endOthers: UseMutationOptions<EndedSessions, Failure, void>
}

/** Where the person is signed in, read and changed by the calls of the app that shows it. */
export function OwnSessions<Failure, Key extends QueryKey>(props: Props<Failure, Key>) {
  const queryClient = useQueryClient()
  const query = useQuery(props.sessions)
  // Also after a failure: some may have ended.
  const onSettled = () => queryClient.invalidateQueries({ queryKey: props.sessions.queryKey })
  const endSession = useMutation({ ...props.endSession, onSettled })
  const endSignIn = useMutation({ ...props.endSignIn, onSettled })
  const endOthers = useMutation({ ...props.endOthers, onSettled })
  return (
    <SessionsPanel
      query={query}
      endSession={(id) => endSession.mutateAsync({ id })}
      endSignIn={(id) => endSignIn.mutateAsync({ id })}
      endOthers={() => endOthers.mutateAsync()}
    />
  )
}
