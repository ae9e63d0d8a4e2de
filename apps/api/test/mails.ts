import type { TestHouse } from './house.ts'

/** A mail as it reached the sandbox's server. */
export interface CaughtMail {
  envelope: { from: string; to: string[] }
  subject: string
  from?: { name: string; address: string }
  to: { name: string; address: string }[]
  messageId?: string
  headers: { name: string; value: string }[]
  text?: string
  html?: string
}

/** What the house has sent, oldest first, read as a mail program reads it. */
export function caughtMails(house: TestHouse): CaughtMail[] {
  const { messages } = house.sandbox.state().smtp.records as { messages: CaughtMail[] }
  return [...messages].reverse()
}
