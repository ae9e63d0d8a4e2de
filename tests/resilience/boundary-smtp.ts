import { connect, createServer, type Socket } from 'node:net'
import type { Gate, Relay } from './boundary.ts'
import { listenOnLoopback } from './boundary-listen.ts'

/**
 * SMTP without TLS (RFC 5321): each command line is a question, and so is the whole message after
 * DATA.
 */
export function relaySmtp(target: URL, gate: Gate): Promise<Relay> {
  return listenOnLoopback(createServer((client) => serve(client, target, gate)))
}

function serve(client: Socket, target: URL, gate: Gate): void {
  const upstream = connect(Number(target.port || 25), target.hostname)
  const end = () => {
    client.destroy()
    upstream.destroy()
  }
  for (const socket of [client, upstream]) {
    socket.on('error', end)
    socket.on('close', end)
  }
  let message = false
  let sent = ''
  let toServer = Promise.resolve()
  let toClient = Promise.resolve()
  const asked: ReturnType<Gate['cross']>[] = []

  const ask = (text: string, what: string) => {
    const crossing = gate.cross('smtp', what)
    toServer = toServer.then(async () => {
      if (!(await gate.pass(crossing, 'before'))) return end()
      if (client.destroyed) return
      asked.push(crossing)
      upstream.write(text, 'latin1')
    })
  }

  client.on('data', (chunk: Buffer) => {
    sent += chunk.toString('latin1')
    for (;;) {
      const ending = message ? '\r\n.\r\n' : '\r\n'
      const at = sent.indexOf(ending)
      if (at < 0) return
      const text = sent.slice(0, at + ending.length)
      sent = sent.slice(text.length)
      ask(text, message ? 'the message' : verbOf(text))
      message = false
    }
  })

  let answered = ''
  upstream.on('data', (chunk: Buffer) => {
    answered += chunk.toString('latin1')
    // The last line of a reply has a space after its code, RFC 5321 section 4.2.1.
    for (let match = lastLine.exec(answered); match; match = lastLine.exec(answered)) {
      const reply = answered.slice(0, match.index + match[0].length)
      answered = answered.slice(reply.length)
      const crossing = asked.shift()
      if (reply.startsWith('354')) message = true
      toClient = toClient.then(async () => {
        if (crossing && !(await gate.pass(crossing, 'after'))) return end()
        if (!client.destroyed) client.write(reply, 'latin1')
      })
    }
  })
}

const lastLine = /^\d{3} .*\r\n/m

function verbOf(line: string): string {
  return (
    /^(ehlo|helo|mail from|rcpt to|data|quit|rset|noop|auth|starttls)\b/i
      .exec(line)?.[1]
      ?.toUpperCase() ?? '*'
  )
}
