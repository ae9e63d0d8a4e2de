import type { CallOptions } from '../call-options.ts'

export interface OutgoingMail {
  /** `user@host` or `Name <user@host>`. */
  from: string
  to: string
  subject: string
  text: string
  html?: string | undefined
  /** Further header fields, such as `Auto-Submitted`. */
  headers?: Record<string, string> | undefined
  /** With the angle brackets. Give the same one at every try, so that a repeated message is recognised as one. */
  messageId?: string | undefined
}

/** Sends mail. Every method rejects with `UpstreamError` alone, unless the signal ended it. */
export interface Mailer {
  /** Connects, negotiates TLS and signs in, without sending. */
  check(options?: CallOptions): Promise<void>
  /** One try; the caller's outbox repeats it. `refused` for a permanent no or for control characters in addresses, subject or headers. */
  send(mail: OutgoingMail, options?: CallOptions): Promise<{ messageId: string }>
}
