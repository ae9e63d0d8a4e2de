import type { Formats } from './formats.ts'
import type { Page } from './pages/layout.ts'
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

/** Rejections whose texts say what happened and what to do. */
type ExplainedRejection =
  | 'slot_taken'
  | 'calendarUnavailable'
  | 'notConnected'
  | 'rateLimited'
  | 'unreachable'
  | 'bookedAlready'
  | 'changed'

export function isGone(code: string): code is GoneCode {
  return (goneCodes as readonly string[]).includes(code)
}

/** A heading and, where more is to be said, what to do. */
export function rejectionText(
  { text }: Formats,
  { code, message }: Pick<Problem, 'code' | 'message'>,
): { title: string; text?: string } {
  const explained = (key: ExplainedRejection) => ({
    title: text(`frame.rejections.${key}.title`),
    text: text(`frame.rejections.${key}.hint`),
  })
  if (code === 'slot_taken') return explained('slot_taken')
  if (isGone(code))
    return {
      title: text(`frame.rejections.${code}`),
      text: text('frame.rejections.chooseAnother'),
    }
  switch (code) {
    case 'calendar_unavailable':
      return explained('calendarUnavailable')
    case 'host_not_connected':
    case 'scheduling_not_configured':
      return explained('notConnected')
    case 'rate_limited':
      return explained('rateLimited')
    case 'unreachable':
      return explained('unreachable')
    case 'idempotency_mismatch':
      return explained('bookedAlready')
    case 'invalid_state':
      return explained('changed')
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
  formats: Formats,
  problem: Problem,
  { again }: { again?: string } = {},
): Page {
  if (problem.code === 'not_found') return notFoundPage(formats)
  const { title, text = '' } = rejectionText(formats, problem)
  return messagePage(title, text, {
    ...(again !== undefined && {
      link: { href: again, text: formats.text('frame.tryAgain') },
    }),
  })
}

export function notFoundPage({ text }: Formats): Page {
  return messagePage(text('frame.notFound.title'), text('frame.notFound.hint'))
}

export function invalidLinkPage({ text }: Formats): Page {
  return messagePage(text('frame.invalidLink.title'), text('frame.invalidLink.hint'))
}
