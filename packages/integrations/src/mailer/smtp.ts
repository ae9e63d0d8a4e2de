import { createTransport } from 'nodemailer'
import SmtpConnection from 'nodemailer/lib/smtp-connection'
import { type CallPolicyOptions, callPolicy, type Operation } from '../call-policy.ts'
import type { UpstreamError } from '../upstream-error.ts'
import { hasControlCharacters, type Mailbox, parseMailbox } from './addresses.ts'
import type { Mailer, OutgoingMail } from './port.ts'
import { smtpServer } from './smtp-server-address.ts'

export interface SmtpOptions extends CallPolicyOptions {
  /**
   * `smtp://user:password@host:587` or `smtps://user:password@host:465`. With credentials STARTTLS
   * is demanded, unless the host is this machine or the address ends in `?requireTLS=false`.
   */
  url: string
  /**
   * The sender of the mails, `user@host` or `Name <user@host>`: the check asks the server whether
   * it may be. Without, it does not.
   */
  from?: string | undefined
}

/**
 * Sends over SMTP, one connection per message: an outbox retries and paces, and nothing stays open
 * between messages.
 */
export function smtp({ url, from, deadlineMs = 20_000, ...options }: SmtpOptions): Mailer {
  const policy = callPolicy('smtp', {
    operationDeadlineMs: deadlineMs + 5_000,
    deadlineMs,
    ...options,
  })
  const server = {
    ...smtpServer(url),
    connectionTimeout: deadlineMs,
    greetingTimeout: deadlineMs,
    socketTimeout: deadlineMs,
    dnsTimeout: deadlineMs,
  }
  const transport = createTransport({ ...server, disableFileAccess: true, disableUrlAccess: true })
  const sender = from === undefined ? undefined : parseMailbox(from)?.address

  return {
    check: (callOptions) =>
      policy.operation('check', callOptions, (operation) =>
        operation.request({ label: 'verify', repeatable: true }, async () => {
          await tryToSend(server, sender).catch((error: unknown) => {
            throw failureOf(operation, error)
          })
          return { status: undefined, value: undefined }
        }),
      ),

    send: (mail, callOptions) =>
      policy.operation('send', callOptions, (operation) => {
        const message = compose(operation, mail)
        return operation.request({ label: 'send', repeatable: false }, async (signal) => {
          const { messageId } = await transport
            .sendMail({ ...message, signal })
            .catch((error: unknown) => {
              throw failureOf(operation, error, message.to.address)
            })
          return { status: 250, value: { messageId } }
        })
      }),
  }
}

type ServerOptions = ReturnType<typeof smtpServer> & { connectionTimeout: number }

const askSender = 'SENDER'

/**
 * Connects, signs in, and names the sender without sending anything: a server may accept the
 * password and reject the sender. The library allows custom commands only in a custom sign-in
 * method.
 */
async function tryToSend(server: ServerOptions, sender: string | undefined): Promise<void> {
  let reply: { status: number; response: string } | undefined
  const connection = new SmtpConnection({
    ...server,
    customAuth: {
      [askSender]: async ({ sendCommand }) => {
        reply = await sendCommand(`MAIL FROM:<${sender}>`)
        await sendCommand('RSET')
      },
    },
  })
  const login = (data: object) =>
    new Promise<void>((done, fail) =>
      connection.login(data, (error) => (error ? fail(error) : done())),
    )
  async function converse(): Promise<void> {
    if (server.auth && connection.allowsAuth) await login(server.auth)
    if (sender !== undefined) await login({ method: askSender })
    if (reply && reply.status >= 400)
      throw Object.assign(new Error('the sender is rejected'), {
        code: 'EENVELOPE',
        responseCode: reply.status,
        response: reply.response,
      })
  }
  try {
    await new Promise<void>((done, fail) => {
      connection.on('error', fail)
      connection.on('end', () =>
        fail(Object.assign(new Error('the connection ended'), { code: 'ECONNECTION' })),
      )
      connection.connect((error) => (error ? fail(error) : converse().then(done, fail)))
    })
    connection.quit()
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * The message as the transport takes it. Whatever could end a header field or name a second
 * recipient is rejected before anything is sent.
 */
function compose(operation: Operation, mail: OutgoingMail) {
  const { subject, text, html, headers = {}, messageId } = mail
  const mailbox = (value: string, what: string): Mailbox => {
    const parsed = parseMailbox(value)
    if (!parsed) throw operation.fail('refused', { note: `the ${what} is not one plain address` })
    return parsed
  }
  const from = mailbox(mail.from, 'sender')
  const to = mailbox(mail.to, 'recipient')
  const replyTo =
    mail.replyTo === undefined ? undefined : mailbox(mail.replyTo, 'address for answers')
  if (hasControlCharacters(subject))
    throw operation.fail('refused', { note: 'the subject holds control characters' })
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

/**
 * Mail programs reject a part whose method differs from the one in the object: the two must be
 * equal (RFC 6047 section 2.4).
 */
function calendarPart(
  operation: Operation,
  { method, content }: NonNullable<OutgoingMail['calendar']>,
) {
  if (!content.includes(`\r\nMETHOD:${method}\r\n`))
    throw operation.fail('refused', { note: 'the calendar object is not of the method' })
  return { method, content, filename: 'invite.ics' }
}

const notes: Record<string, string> = {
  EDNS: 'its host name does not resolve',
  ECONNREFUSED: 'nothing listens at its address',
  ECONNRESET: 'the connection broke',
  ECONNECTION: 'the connection broke',
  ETLS: 'TLS cannot be agreed upon',
}

const longestReply = 300

/**
 * What the server replied, on one line, without addresses and without the name of the recipient's
 * mailbox: `550 5.1.1 No such user.`
 */
function wordsOf(reply: unknown, recipient: string | undefined): string | undefined {
  if (typeof reply !== 'string') return undefined
  const mailbox = recipient?.slice(0, recipient.lastIndexOf('@')).toLowerCase()
  const words = reply
    .slice(0, 2 * longestReply)
    .replace(/[^\x21-\x7e\u00a1-\uffff]/g, ' ')
    .replaceAll('[', '(')
    .replaceAll(']', ')')
    .split(' ')
    .filter((word) => word !== '')
    .map((word) =>
      word.includes('@') || (mailbox && word.toLowerCase().includes(mailbox)) ? '(address)' : word,
    )
    .join(' ')
  return words === '' ? undefined : `it replied "${words.slice(0, longestReply)}"`
}

/**
 * Reads codes and the reply of the server to the message or the sender. What is replied to a
 * password is not read.
 */
function failureOf(operation: Operation, error: unknown, recipient?: string): UpstreamError {
  const { code, responseCode, originalCode, response } = Object(error) as Record<
    'code' | 'responseCode' | 'originalCode' | 'response',
    unknown
  >
  if (code === 'ETLS') return operation.fail('connection', { note: notes.ETLS })
  if (typeof responseCode === 'number' && responseCode >= 400) {
    if (code === 'EAUTH' && responseCode >= 500)
      return operation.fail('unauthorized', { status: responseCode })
    // 503 is a bad sequence of commands: the session was in a wrong state, the message was not
    // judged.
    const note = code === 'EAUTH' ? undefined : wordsOf(response, recipient)
    return operation.fail(responseCode >= 500 && responseCode !== 503 ? 'refused' : 'server', {
      status: responseCode,
      note,
    })
  }
  if (code === 'ETIMEDOUT') return operation.fail('timeout')
  if (code === 'EAUTH' || code === 'ENOAUTH') return operation.fail('unauthorized')
  if (code === 'EPROTOCOL') return operation.fail('invalid_answer')
  if (code === 'EENVELOPE' || code === 'EMESSAGE') return operation.fail('refused')
  const known = [originalCode, code].find(
    (value) => typeof value === 'string' && Object.hasOwn(notes, value),
  )
  return operation.fail('connection', {
    note: typeof known === 'string' ? notes[known] : undefined,
  })
}
