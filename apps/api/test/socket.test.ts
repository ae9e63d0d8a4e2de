import { once } from 'node:events'
import { createServer, request as httpRequest, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { SocketSource } from '../src/transport/socket.ts'

/** Serves one request; `leave` makes the caller go away as soon as it is there. */
async function serveOne<Found>(
  look: (source: SocketSource, outgoing: ServerResponse) => Promise<Found>,
  { leave = false, headers = {} }: { leave?: boolean; headers?: Record<string, string | string[]> } = {},
): Promise<Found> {
  const { promise, resolve, reject } = Promise.withResolvers<Found>()
  const server = createServer((incoming, outgoing) => {
    if (leave) asking.destroy()
    look(new SocketSource(incoming, outgoing), outgoing).then(resolve, reject)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const asking = httpRequest({ port, headers, agent: false }, (response) => response.resume())
  asking.on('error', () => {}).end()
  try {
    return await promise
  } finally {
    asking.destroy()
    await new Promise((done) => server.close(done))
  }
}

it('finds a header whatever its spelling, and joins what is given twice', async () => {
  const found = await serveOne(
    async (source, outgoing) => {
      outgoing.end()
      return ['x-request-id', 'x-forwarded-for', 'accept'].map((name) => source.header(name))
    },
    { headers: { 'X-Request-ID': 'abcdefgh', 'x-forwarded-for': ['192.0.2.1', '192.0.2.2'] } },
  )
  expect(found).toEqual(['abcdefgh', '192.0.2.1, 192.0.2.2', undefined])
})

it('knows the address at the other end', async () => {
  const found = await serveOne(async (source, outgoing) => {
    outgoing.end()
    return source.peerAddress
  })
  expect(found).toBe('127.0.0.1')
})

it('aborts when the caller goes away', async () => {
  const aborted = await serveOne(
    async ({ signal }) => {
      await once(signal, 'abort')
      return signal.aborted
    },
    { leave: true },
  )
  expect(aborted).toBe(true)
})

it('is aborted for whoever asks after the caller has gone', async () => {
  const aborted = await serveOne(
    async (source, outgoing) => {
      await once(outgoing, 'close')
      return source.signal.aborted
    },
    { leave: true },
  )
  expect(aborted).toBe(true)
})

it('is not aborted by an answer that was sent', async () => {
  const states = await serveOne(async (source, outgoing) => {
    const { signal } = source
    outgoing.end('told')
    await once(outgoing, 'close')
    return [signal.aborted, source.signal === signal]
  })
  expect(states).toEqual([false, true])
})
