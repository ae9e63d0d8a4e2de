import type { TestHouse } from './house.ts'

/** A mail as it reached the sandbox's server. */
export interface CaughtMail {
  id: string
  envelope: { from: string; to: string[] }
  subject: string
  from?: { name: string; address: string }
  to: { name: string; address: string }[]
  messageId?: string
  headers: { name: string; value: string }[]
  text?: string
  html?: string
  attachments: { filename: string; mimeType: string }[]
}

/** The calendar file of a mail; undefined where it has none. */
export async function calendarFileOf(house: TestHouse, { id, attachments }: CaughtMail): Promise<string | undefined> {
  const index = attachments.findIndex(({ filename }) => filename === 'invite.ics')
  if (index < 0) return undefined
  return (await fetch(`${house.sandbox.smtpPageUrl}/messages/${id}/attachments/${index}`)).text()
}

/** What the house has sent, oldest first, read as a mail program reads it. */
export function caughtMails(house: TestHouse): CaughtMail[] {
  const { messages } = house.sandbox.state().smtp.records as { messages: CaughtMail[] }
  return [...messages].reverse()
}
