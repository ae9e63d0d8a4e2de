import '@mantine/core/styles/Notification.layer.css'
import '@mantine/notifications/styles.layer.css'
import { Notifications } from '@mantine/notifications'

/** Where notices appear; they leave by themselves. */
export default function NotificationStack() {
  return <Notifications position="bottom-right" limit={4} autoClose={6_000} containerWidth={400} />
}
