import type { Server } from 'node:http'

export interface Socket {
  server: Server
  /** The variable that chose the port, for the message. */
  variable: string
  port: number
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another process',
  EACCES: 'may not be used by this account',
  EADDRNOTAVAIL: 'is not an address of this machine',
}

/**
 * Opens all sockets, or none: resolves with one line per socket that could not be had, empty when
 * every one listens.
 */
export async function listenOnAll(sockets: readonly Socket[], host: string): Promise<string[]> {
  const faults = await Promise.all(sockets.map((socket) => listen(socket, host)))
  const found = faults.filter((fault) => fault !== undefined)
  if (found.length > 0) for (const { server } of sockets) server.close()
  return found
}

function listen({ server, variable, port }: Socket, host: string): Promise<string | undefined> {
  return new Promise((done) => {
    const onError = (error: NodeJS.ErrnoException) =>
      done(
        `${variable}: ${host} port ${port} ${reasons[error.code ?? ''] ?? `cannot be listened on (${error.message})`}`,
      )
    server.once('error', onError)
    server.listen(port, host, () => {
      server.off('error', onError)
      done(undefined)
    })
  })
}
