import type { Frame, Page } from './pages/layout.ts'
import { messagePage } from './pages/message-page.ts'
import type { Problem } from './problems.ts'

/** The rejections that mean: this time cannot be had, others may. */
const goneCodes = [
  'slot_taken',
  'slot_locked',
  'lock_expired',
  'too_soon',
  'outside_window',
] as const
export type GoneCode = (typeof goneCodes)[number]

export function isGone(code: string): code is GoneCode {
  return (goneCodes as readonly string[]).includes(code)
}

const goneTitles: Readonly<Record<GoneCode, string>> = {
  slot_taken: 'This time is no longer available.',
  slot_locked: 'Someone is booking this time right now.',
  lock_expired: 'Your hold expired and this time is no longer available.',
  too_soon: 'This time is too soon to book.',
  outside_window: 'This time can no longer be booked.',
}

/** A heading and, where more is to be said, what to do. */
export function rejectionText({ code, message }: Pick<Problem, 'code' | 'message'>): {
  title: string
  text?: string
} {
  if (code === 'slot_taken')
    return {
      title: goneTitles[code],
      text: 'Choose another one. If you have just booked it yourself, you have an e-mail about it.',
    }
  if (isGone(code)) return { title: goneTitles[code], text: 'Choose another one.' }
  switch (code) {
    case 'calendar_unavailable':
      return {
        title: 'The calendar is not available.',
        text: 'Nothing was lost. Wait a few seconds and try again.',
      }
    case 'host_not_connected':
    case 'scheduling_not_configured':
      return {
        title: 'Nothing can be booked here at this moment.',
        text: 'The calendar is not connected. Please come back later.',
      }
    case 'rate_limited':
      return {
        title: 'That was a lot at once.',
        text: 'Wait a minute, then try again. Nothing was lost.',
      }
    case 'unreachable':
      return {
        title: 'The booking service does not answer.',
        text: 'Nothing was lost. Try again in a minute.',
      }
    case 'idempotency_mismatch':
      return {
        title: 'You have already booked this time with this form.',
        text: 'You have an e-mail about that booking. Send the form again only if you want another one.',
      }
    case 'invalid_state':
      return {
        title: 'The booking has changed in the meantime.',
        text: 'Open it again to see how it stands.',
      }
    default:
      return { title: message }
  }
}

export type PageStatus = 200 | 400 | 404 | 409 | 429 | 500 | 503

/** The status that a page about a rejection is sent with. */
export function pageStatus({ status }: Pick<Problem, 'status'>): PageStatus {
  if (status === 404 || status === 409 || status === 429 || status === 503) return status
  return status >= 500 ? 500 : 400
}

/** Seconds after which trying again makes sense; undefined where it does not by itself. */
export function retryAfter({ code }: Pick<Problem, 'code'>): number | undefined {
  if (code === 'calendar_unavailable') return 5
  return code === 'rate_limited' || code === 'unreachable' ? 60 : undefined
}

/** A whole page for a rejection where there is no page to show it on. */
export function rejectionPage(
  problem: Problem,
  { frame, again }: { frame?: Frame; again?: string } = {},
): Page {
  if (problem.code === 'not_found')
    return messagePage(
      'There is nothing here',
      'The address may be misspelt, or what it led to is not offered any more. Ask whoever gave it to you.',
      frame && { frame },
    )
  const { title, text = '' } = rejectionText(problem)
  return messagePage(title, text, {
    ...(frame && { frame }),
    ...(again !== undefined && { link: { href: again, text: 'Try again' } }),
  })
}

export const invalidLink = messagePage(
  'This link is not valid',
  'It may be incomplete, have been replaced by a newer one, or the meeting is long over. Look for the last e-mail about your booking.',
)
