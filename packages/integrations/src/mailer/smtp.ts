import { createTransport } from 'nodemailer'
import { type CallPolicyOptions, callPolicy, type Operation } from '../call-policy.ts'
import type { UpstreamError } from '../upstream-error.ts'
import { hasControlCharacters, type Mailbox, parseMailbox } from './addresses.ts'
import type { Mailer, OutgoingMail } from './port.ts'
import { smtpServer } from './smtp-server-address.ts'

export interface SmtpOptions extends CallPolicyOptions {
  /**
   * `smtp://user:password@host:587` or `smtps://user:password@host:465`. With credentials STARTTLS is demanded, unless the host is
   * this machine or the address ends in `?requireTLS=false`.
   */
  url: string
}

/** Sends over SMTP, one connection per message: an outbox retries and paces, and nothing stays open between messages. */
export function smtp({ url, deadlineMs = 20_000, ...options }: SmtpOptions): Mailer {
  const policy = callPolicy('smtp', { operationDeadlineMs: deadlineMs + 5_000, deadlineMs, ...options })
  const transport = createTransport({
    ...smtpServer(url),
    connectionTimeout: deadlineMs,
    greetingTimeout: deadlineMs,
    socketTimeout: deadlineMs,
    dnsTimeout: deadlineMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })

  return {
    check: (callOptions) =>
      policy.operation('check', callOptions, (operation) =>
        operation.request({ label: 'verify', repeatable: true }, async () => {
          await transport.verify().catch((error: unknown) => {
            throw failureOf(operation, error)
          })
          return { status: undefined, value: undefined }
        }),
      ),

    send: (mail, callOptions) =>
      policy.operation('send', callOptions, (operation) => {
        const message = compose(operation, mail)
        return operation.request({ label: 'send', repeatable: false }, async (signal) => {
          const { messageId } = await transport.sendMail({ ...message, signal }).catch((error: unknown) => {
            throw failureOf(operation, error)
          })
          return { status: 250, value: { messageId } }
        })
      }),
  }
}

/** The message as the transport takes it. Whatever could end a header field or name a second recipient is refused before anything is sent. */
function compose(operation: Operation, mail: OutgoingMail) {
  const { subject, text, html, headers = {}, messageId } = mail
  const mailbox = (value: string, what: string): Mailbox => {
    const parsed = parseMailbox(value)
    if (!parsed) throw operation.fail('refused', { note: `the ${what} is not one plain address` })
    return parsed
  }
  const from = mailbox(mail.from, 'sender')
  const to = mailbox(mail.to, 'recipient')
  const replyTo = mail.replyTo === undefined ? undefined : mailbox(mail.replyTo, 'address for answers')
  if (hasControlCharacters(subject)) throw operation.fail('refused', { note: 'the subject holds control characters' })
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(name) || hasControlCharacters(value)) {
      throw operation.fail('refused', { note: 'a header field holds characters that it must not' })
    }
  }
  if (messageId !== undefined && !/^<[^\s<>@]+@[^\s<>@]+>$/.test(messageId)) {
    throw operation.fail('refused', { note: 'the message id is not of the form <id@host>' })
  }
  return {
    from,
    to,
    ...(replyTo && { replyTo }),
    subject,
    text,
    headers,
    ...(html === undefined ? {} : { html }),
    ...(messageId === undefined ? {} : { messageId }),
    ...(mail.calendar && { icalEvent: calendarPart(operation, mail.calendar) }),
  }
}

/** Mail programs refuse a part whose method differs from the one in the object: the two must be equal (RFC 6047 section 2.4). */
function calendarPart(operation: Operation, { method, content }: NonNullable<OutgoingMail['calendar']>) {
  if (!content.includes(`\r\nMETHOD:${method}\r\n`)) throw operation.fail('refused', { note: 'the calendar object is not of the method' })
  return { method, content, filename: 'invite.ics' }
}

const notes: Record<string, string> = {
  EDNS: 'its host name does not resolve',
  ECONNREFUSED: 'nothing listens at its address',
  ECONNRESET: 'the connection broke',
  ECONNECTION: 'the connection broke',
  ETLS: 'TLS cannot be agreed upon',
}

/** Reads codes only: the text of a reply is the server's, and may quote addresses. */
function failureOf(operation: Operation, error: unknown): UpstreamError {
  const { code, responseCode, originalCode } = Object(error) as { code?: unknown; responseCode?: unknown; originalCode?: unknown }
  if (code === 'ETLS') return operation.fail('connection', { note: notes.ETLS })
  if (typeof responseCode === 'number' && responseCode >= 400) {
    if (code === 'EAUTH' && responseCode >= 500) return operation.fail('unauthorized', { status: responseCode })
    // 503 is a bad sequence of commands: the session was in a wrong state, the message was not judged.
    return operation.fail(responseCode >= 500 && responseCode !== 503 ? 'refused' : 'server', { status: responseCode })
  }
  if (code === 'ETIMEDOUT') return operation.fail('timeout')
  if (code === 'EAUTH' || code === 'ENOAUTH') return operation.fail('unauthorized')
  if (code === 'EPROTOCOL') return operation.fail('invalid_answer')
  if (code === 'EENVELOPE' || code === 'EMESSAGE') return operation.fail('refused')
  const known = [originalCode, code].find((value) => typeof value === 'string' && Object.hasOwn(notes, value))
  return operation.fail('connection', { note: typeof known === 'string' ? notes[known] : undefined })
}
