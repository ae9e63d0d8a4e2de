import type { NotificationSettings, UpdateNotification } from '@atrium/core/account/notifications'
import {
  type QueryKey,
  type UseMutationOptions,
  type UseQueryOptions,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMutation } from '../use-mutation.ts'
import { NotificationsPanel } from './notifications-panel.tsx'

interface Props<Failure, Key extends QueryKey> {
  notifications: UseQueryOptions<NotificationSettings, Failure, NotificationSettings, Key>
  update: UseMutationOptions<NotificationSettings, Failure, UpdateNotification>
}

/** Which mails the person gets, read and changed by the calls of the app that shows it. */
export function OwnNotifications<Failure, Key extends QueryKey>(props: Props<Failure, Key>) {
  const queryClient = useQueryClient()
  const query = useQuery(props.notifications)
  const queryKey: QueryKey = props.notifications.queryKey
  const update = useMutation({
    ...props.update,
    onSuccess: (saved) => queryClient.setQueryData(queryKey, saved),
  })
  return (
    <NotificationsPanel
      query={query}
      saving={update.isPending}
      error={update.error}
      onChange={(change) => update.mutate(change)}
    />
  )
}
