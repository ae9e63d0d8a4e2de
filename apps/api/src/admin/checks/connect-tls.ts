import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'

const deadlineMs = 10_000
/** RFC 5321, 4.5.3.1.5: a line has 512 octets; a greeting with its extensions has some lines. */
const longestReply = 16_384

export interface Endpoint {
  host: string
  port: number
  /** SMTP that begins without TLS and upgrades (RFC 3207). */
  startTls?: boolean | undefined
  /** What it means when nothing answers; null where nothing has to. By default it is an error. */
  silence?: string | null | undefined
}

/** The server speaks SMTP and does not offer TLS. */
export class NoStartTls extends Error {
  override readonly name = 'NoStartTls'
}

/**
 * Completes a handshake whatever the certificate is: what is wrong with it is reported. Rejects
 * with the error of the socket, and with `NoStartTls`.
 */
export async function connectTls(endpoint: Endpoint, ca: string | undefined): Promise<TLSSocket> {
  const { host, port, startTls } = endpoint
  const plain = startTls ? await upgradable(host, port) : undefined
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      ...(plain ? { socket: plain } : { port }),
      rejectUnauthorized: false,
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== undefined && { ca }),
    })
    socket.setTimeout(deadlineMs, () => socket.destroy(new Error('no answer in time')))
    socket.once('secureConnect', () => resolve(socket))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('closed')))
  })
}

/** A connection on which the SMTP server awaits the TLS handshake. */
async function upgradable(host: string, port: number): Promise<Socket> {
  const socket = connectTcp({ host, port })
  socket.setTimeout(deadlineMs, () => socket.destroy(new Error('no answer in time')))
  try {
    await readReply(socket, '220')
    socket.write('EHLO atrium-doctor.invalid\r\n')
    const extensions = await readReply(socket, '250')
    if (!/^250[- ]STARTTLS\s*$/im.test(extensions))
      throw new NoStartTls('does not offer STARTTLS: passwords and mails cross networks in clear.')
    socket.write('STARTTLS\r\n')
    await readReply(socket, '220')
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** One reply, which may have several lines. Rejects when it has another code. */
function readReply(socket: Socket, code: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const end = (error?: Error) => {
      socket.off('data', read).off('error', end).off('close', closed)
      if (error) reject(error)
      else resolve(text)
    }
    const closed = () => end(new Error('closed'))
    const read = (bytes: Buffer) => {
      text += bytes.toString('latin1')
      const last = /^(\d{3})(?: .*)?\r\n/m.exec(text)
      if (last) end(last[1] === code ? undefined : new Error(`the server answered ${last[1]}`))
      else if (text.length > longestReply) end(new Error('the answer is too long'))
    }
    socket.on('data', read).once('error', end).once('close', closed)
  })
}
