import { notifications } from '@mantine/notifications'

/** Says that an act succeeded. */
export function done(message: string): void {
  notifications.show({ message, color: 'green', withBorder: true })
}
