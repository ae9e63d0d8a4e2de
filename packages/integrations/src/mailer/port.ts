import type { CallOptions } from '../call-options.ts'

export interface OutgoingMail {
  /** `user@host` or `Name <user@host>`. */
  from: string
  to: string
  /** The reply address, if it is not the sender; one address like `from`. */
  replyTo?: string | undefined
  subject: string
  text: string
  html?: string | undefined
  /** Further header fields, such as `Auto-Submitted`. */
  headers?: Record<string, string> | undefined
  /**
   * An iCalendar object (RFC 5545): the last part of the alternatives, and once more as the file
   * `invite.ics` (RFC 6047 section 2.4). `method` is the one within.
   */
  calendar?: { method: 'REQUEST' | 'CANCEL' | 'PUBLISH'; content: string } | undefined
  /**
   * With the angle brackets. Give the same one at every try, so that a repeated message is
   * recognised as one.
   */
  messageId?: string | undefined
}

/** Sends mail. Every method rejects with `UpstreamError` alone, unless the signal ended it. */
export interface Mailer {
  /**
   * Connects, negotiates TLS, signs in and names the sender (MAIL FROM, RSET), without sending.
   * `refused` when the server rejects the sender.
   */
  check(options?: CallOptions): Promise<void>
  /**
   * One attempt; the caller's outbox retries. `refused` for a permanent rejection, for control
   * characters in addresses, subject or headers, and for a calendar object of another method.
   */
  send(mail: OutgoingMail, options?: CallOptions): Promise<{ messageId: string }>
}
