import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { listenOn } from '../../src/platform/listener.ts'

const ready = [0x5a, 0, 0, 0, 5, 0x49]
const authenticated = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, ...ready])
const done = Buffer.concat([
  Buffer.from([0x43, 0, 0, 0, 11]),
  Buffer.from('LISTEN\0'),
  Buffer.from(ready),
])

/**
 * As much of a PostgreSQL server as a listener needs: it lets everybody in and agrees to
 * everything.
 */
function agreeable(): { server: Server; sockets: Set<Socket> } {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(authenticated)
      socket.on('data', () => socket.write(done))
    })
  })
  return { server, sockets }
}

const listenAt = (server: Server, port: number) =>
  new Promise<void>((up) => server.listen(port, '127.0.0.1', up))
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

it('a listener whose server is away tries again one attempt after the other, and hears again when it is back', async () => {
  const first = agreeable()
  await listenAt(first.server, 0)
  const { port } = first.server.address() as AddressInfo
  const errors: Error[] = []
  let reconnects = 0
  const stop = await listenOn(
    { connectionString: `postgres://app@127.0.0.1:${port}/atrium` },
    {
      channel: 'x',
      onMessage: () => {},
      onReconnect: () => reconnects++,
      onError: (error) => errors.push(error),
    },
  )
  closers.push(stop)
  first.server.close()
  for (const socket of first.sockets) socket.destroy()
  await expect.poll(() => errors.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(6)
  // One that starts two attempts where one failed would have made 32 of them by the sixth round,
  // and more than a thousand five later.
  const rejected = () =>
    errors.filter((error) => 'code' in error && error.code === 'ECONNREFUSED').length
  const before = rejected()
  await new Promise((later) => setTimeout(later, 1_100))
  expect(rejected() - before).toBeLessThanOrEqual(3)

  const second = agreeable()
  await listenAt(second.server, port)
  closers.push(() => second.server.close())
  await expect.poll(() => reconnects, { timeout: 10_000 }).toBe(1)
  expect(second.sockets.size).toBe(1)
})
