import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/**
 * Brings what the browser knows of schedules and event types up to date: each shows how it uses the
 * other.
 */
function useRefresh() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return async () => {
    void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
    void queryClient.invalidateQueries({ queryKey: ['event type preview'] })
    await Promise.all([
      queryClient.invalidateQueries(trpc.scheduling.schedules.pathFilter()),
      queryClient.invalidateQueries(trpc.scheduling.eventTypes.pathFilter()),
    ])
  }
}

export function useCreateSchedule() {
  return useMutation(
    useTRPC().scheduling.schedules.create.mutationOptions({ onSuccess: useRefresh() }),
  )
}

export function useReplaceSchedule() {
  return useMutation(
    useTRPC().scheduling.schedules.replace.mutationOptions({ onSuccess: useRefresh() }),
  )
}

export function useRemoveSchedule() {
  return useMutation(
    useTRPC().scheduling.schedules.remove.mutationOptions({ onSuccess: useRefresh() }),
  )
}

export function useCreateEventType() {
  return useMutation(
    useTRPC().scheduling.eventTypes.create.mutationOptions({ onSuccess: useRefresh() }),
  )
}

export function useUpdateEventType() {
  return useMutation(
    useTRPC().scheduling.eventTypes.update.mutationOptions({ onSuccess: useRefresh() }),
  )
}

export function useRemoveEventType() {
  return useMutation(
    useTRPC().scheduling.eventTypes.remove.mutationOptions({ onSuccess: useRefresh() }),
  )
}
