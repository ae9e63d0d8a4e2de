import type { TestApp } from './test-app.ts'

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
export async function calendarFileOf(
  testApp: TestApp,
  { id, attachments }: CaughtMail,
): Promise<string | undefined> {
  const index = attachments.findIndex(({ filename }) => filename === 'invite.ics')
  if (index < 0) return undefined
  return (await fetch(`${testApp.sandbox.smtpPageUrl}/messages/${id}/attachments/${index}`)).text()
}

/** What the workplace has sent, oldest first, read as a mail program reads it. */
export function caughtMails(testApp: TestApp): CaughtMail[] {
  const { messages } = testApp.sandbox.state().smtp.records as { messages: CaughtMail[] }
  return [...messages].reverse()
}
