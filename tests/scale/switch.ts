import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * Simulates the virtual address of a database cluster: connections go to one server, and to another
 * one after a failover.
 */
export interface AddressSwitch extends AsyncDisposable {
  readonly port: number
  /**
   * From here on connections go to this port of loopback; those that are open end, as a proxy ends
   * them when its server is marked down.
   */
  to(port: number): void
  /** Ends every connection and rejects new ones until `to` is called. */
  off(): void
}

export async function openSwitch(target: number): Promise<AddressSwitch> {
  let port: number | undefined = target
  const open = new Set<Socket>()
  const server = createServer((incoming) => {
    open.add(incoming)
    incoming.on('error', () => {})
    incoming.once('close', () => open.delete(incoming))
    if (port === undefined) {
      incoming.destroy()
      return
    }
    const outgoing = connect({ port, host: '127.0.0.1' })
    outgoing.on('error', () => incoming.destroy())
    outgoing.once('close', () => incoming.destroy())
    incoming.once('close', () => outgoing.destroy())
    incoming.pipe(outgoing).pipe(incoming)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    to(next) {
      port = next
      cut()
    },
    off() {
      port = undefined
      cut()
    },
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise((done) => server.close(done))
    },
  }
}
