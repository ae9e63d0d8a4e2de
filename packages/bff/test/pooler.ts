import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What stands before a database and takes no start-up options. */
export interface OptionRefusingPooler extends AsyncDisposable {
  /** The address of a database, past this one. */
  addressOf(url: string): string
  /** Connections that were rejected. */
  refused(): number
}

/**
 * Rejects whoever asks for settings with start-up options, in the words of PgBouncer 1.25, and
 * passes everybody else on to the server (PostgreSQL documentation, message formats:
 * StartupMessage, ErrorResponse). Connections are not shared.
 */
export async function openOptionRefusingPooler(url: string): Promise<OptionRefusingPooler> {
  const server = new URL(url)
  const sockets = new Set<Socket>()
  let refused = 0
  const listener = createServer((client) => {
    sockets.add(client)
    client.on('error', () => client.destroy())
    client.once('data', (startup) => {
      if (startup.includes('\0options\0')) {
        refused++
        const fields = Buffer.from(
          'SFATAL\0C08P01\0Munsupported startup parameter in options: jit\0\0',
        )
        const length = Buffer.alloc(4)
        length.writeInt32BE(fields.length + 4)
        client.end(Buffer.concat([Buffer.from('E'), length, fields]))
        return
      }
      const upstream = connect(Number(server.port), server.hostname)
      sockets.add(upstream)
      upstream.on('error', () => client.destroy())
      upstream.write(startup)
      client.pipe(upstream).pipe(client)
    })
  })
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
  return {
    addressOf(of) {
      const through = new URL(of)
      through.hostname = '127.0.0.1'
      through.port = String((listener.address() as AddressInfo).port)
      return through.href
    },
    refused: () => refused,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => listener.close(done))
    },
  }
}
