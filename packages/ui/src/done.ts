import { notifications } from '@mantine/notifications'

/** Says that an act succeeded. */
export function done(message: string): void {
  notifications.show({ message, color: 'green', withBorder: true })
}

/** Says that an act failed that has no place of its own to say so. */
export function failed(title: string, message: string): void {
  notifications.show({ title, message, color: 'red', withBorder: true, autoClose: 10_000 })
}
