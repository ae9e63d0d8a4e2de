import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import type { Fault } from '../faults.ts'
import type { SystemContext } from '../system.ts'
import type { Messages } from './messages.ts'

const largestMessage = 25 * 1024 * 1024

/** An SMTP server that takes everything and delivers nothing. */
export interface Catcher {
  listen(port: number, host: string): Promise<number>
  close(): Promise<void>
}

/** A rejection with an SMTP status. */
class SmtpRejection extends Error {
  readonly responseCode: number

  constructor(status: number, message: string) {
    super(message)
    this.responseCode = status
  }
}

type Done = (error?: Error | null) => void

/**
 * Catches mail of any sender and recipient, signed in or not. Faults match `CONNECT`,
 * `MAIL FROM:<address>`, `RCPT TO:<address>` or `DATA`; one without a match hits the end of `DATA`,
 * so that a client has sent the whole message when it fails.
 */
export function createCatcher(context: SystemContext, messages: Messages): Catcher {
  const sockets = new Map<string, Socket>()
  const socketOf = (session: SMTPServerSession) =>
    sockets.get(`${session.remoteAddress}:${session.remotePort}`)

  const log = (subject: string, status: number, started: number, fault?: Fault) => {
    context.calls.add({
      at: new Date(context.now()).toISOString(),
      method: 'SMTP',
      path: subject,
      status,
      ms: Math.round(performance.now() - started),
      ...(fault && { fault: { id: fault.id, mode: fault.mode } }),
    })
  }

  /** The fault for an early command: only one that names it. */
  const early = (subject: string): Fault | undefined => {
    const named = context.faults
      .list()
      .some(
        (fault) =>
          fault.system === 'smtp' && fault.match !== undefined && subject.includes(fault.match),
      )
    return named ? context.faults.take('smtp', [subject]) : undefined
  }

  /**
   * Hits the reply to a command. Does not call `done` when the client is to wait or to be cut off.
   */
  const hit = async (fault: Fault, session: SMTPServerSession, done: Done): Promise<number> => {
    await pause(fault.delayMs ?? (fault.mode === 'latency' ? 1_000 : 0), undefined, { ref: false })
    const socket = socketOf(session)
    switch (fault.mode) {
      case 'latency':
        done()
        return 250
      case 'error': {
        const status = fault.status ?? 451
        done(
          new SmtpRejection(
            status,
            status < 500
              ? 'Requested action aborted: try again later'
              : 'Requested action not taken',
          ),
        )
        return status
      }
      case 'reset':
        socket?.resetAndDestroy()
        return 0
      case 'garbage':
        socket?.write(Buffer.from([0xff, 0xfe, 0x3c, 0x68, 0x74, 0x6d, 0x6c, 0x3e, 0x0d, 0x0a]))
        return 0
      case 'shape':
        socket?.write('354 go on where the end was expected\r\n')
        return 0
      default:
        return 0
    }
  }

  const command = (subject: string, session: SMTPServerSession, done: Done) => {
    const fault = early(subject)
    if (!fault) return done()
    const started = performance.now()
    hit(fault, session, done).then(
      (status) => log(subject, status, started, fault),
      (error: unknown) => done(asError(error)),
    )
  }

  const data = async (
    chunks: AsyncIterable<Buffer>,
    session: SMTPServerSession,
    done: Done,
  ): Promise<void> => {
    const started = performance.now()
    const collected: Buffer[] = []
    for await (const chunk of chunks) collected.push(chunk)
    const { mailFrom, rcptTo } = session.envelope
    const envelope = {
      from: mailFrom ? mailFrom.address : '',
      to: rcptTo.map(({ address }) => address),
    }
    const subject = `DATA from <${envelope.from}> to ${envelope.to.map((address) => `<${address}>`).join(' ')}`
    const fault = context.faults.take('smtp', [subject])
    if (fault && !fault.after && fault.mode !== 'latency')
      return log(subject, await hit(fault, session, done), started, fault)

    await messages.add({
      envelope,
      user: session.user,
      raw: Buffer.concat(collected),
      at: context.now(),
    })
    context.changed()
    if (fault) return log(subject, await hit(fault, session, done), started, fault)
    done()
    log(subject, 250, started)
  }

  const open = () =>
    new SMTPServer({
      name: 'sandbox',
      banner: 'caught here, delivered nowhere',
      size: largestMessage,
      authOptional: true,
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      disableReverseLookup: true,
      closeTimeout: 500,
      socketTimeout: 600_000,
      onConnect: (session, done) => command('CONNECT', session, done),
      onAuth: (auth, _session, done) => done(null, { user: auth.username ?? 'anonymous' }),
      onMailFrom: ({ address }, session, done) => command(`MAIL FROM:<${address}>`, session, done),
      onRcptTo: ({ address }, session, done) => command(`RCPT TO:<${address}>`, session, done),
      onData(stream, session, done) {
        data(stream, session, (error) => {
          if (!error && stream.sizeExceeded)
            done(new SmtpRejection(552, 'Message exceeds fixed maximum message size'))
          else done(error)
        }).catch((error: unknown) => done(asError(error)))
      },
    })

  let server: SMTPServer | undefined
  return {
    async listen(port, host) {
      const opened = open()
      server = opened
      opened.server.on('connection', (socket: Socket) => {
        const key = `${socket.remoteAddress}:${socket.remotePort}`
        sockets.set(key, socket)
        socket.once('close', () => sockets.delete(key))
      })
      await new Promise<void>((resolve, reject) => {
        opened.once('error', reject)
        opened.listen(port, host, () => {
          opened.removeListener('error', reject)
          // A client that goes away in the middle is no fault of the sandbox.
          opened.on('error', () => {})
          resolve()
        })
      })
      return (opened.server.address() as AddressInfo).port
    },
    close() {
      const closing = server
      server = undefined
      for (const socket of sockets.values()) socket.destroy()
      return new Promise((resolve) => (closing ? closing.close(() => resolve()) : resolve()))
    },
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
