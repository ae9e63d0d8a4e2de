import { createServer, type Socket } from 'node:net'

export interface Dialogue {
  /**
   * Replies by the first word of the command, `.` for the end of the message; `greeting` is said
   * first. Undefined: silence.
   */
  [command: string]: string | undefined | ((socket: Socket) => void)
}

const polite: Dialogue = {
  greeting: '220 mail.test ready',
  EHLO: '250-mail.test\r\n250 AUTH PLAIN LOGIN',
  STARTTLS: '502 not implemented',
  AUTH: '235 welcome',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  '.': '250 queued',
  RSET: '250 ok',
  QUIT: '221 bye',
}

/**
 * An SMTP server on loopback that says what the test wants, and remembers commands and messages.
 */
export async function smtpDialogue(changes: Dialogue = {}) {
  const commands: string[] = []
  const messages: string[] = []
  const sockets = new Set<Socket>()
  const dialogue = { ...polite, ...changes }

  const server = createServer((socket) => {
    sockets.add(socket)
    let message: string[] | undefined
    let rest = ''
    const say = (key: string) => {
      const reply = dialogue[key]
      if (typeof reply === 'function') reply(socket)
      else if (reply !== undefined) socket.write(`${reply}\r\n`)
    }
    say('greeting')
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      const lines = (rest + data.toString()).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (message && line === '.') {
          messages.push(message.join('\n'))
          message = undefined
          say('.')
        } else if (message) message.push(line)
        else {
          commands.push(line)
          const word = line.split(' ')[0] ?? ''
          if (
            word === 'DATA' &&
            typeof dialogue.DATA === 'string' &&
            dialogue.DATA.startsWith('354')
          )
            message = []
          say(word)
        }
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address === 'string' || !address) throw new Error('no port')
  return {
    commands,
    messages,
    port: address.port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
