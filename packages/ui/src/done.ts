import type { NotificationData } from '@mantine/notifications'
import { notices } from './notices.ts'

/** Says that an act succeeded. */
export function done(message: string): void {
  say({ message, color: 'green', withBorder: true })
}

/** Says what else came of an act. It stays until it is closed. */
export function noticed(title: string, message: string): void {
  say({ title, message, color: 'yellow', withBorder: true, autoClose: false })
}

/** Says that an act failed that has no place of its own to say so. */
export function failed(title: string, message: string): void {
  say({ title, message, color: 'red', withBorder: true, autoClose: 10_000 })
}

// The library is loaded with the first notice, as the stack is that shows them.
function say(notice: NotificationData): void {
  notices.want()
  void import('@mantine/notifications').then(({ notifications }) => notifications.show(notice))
}
