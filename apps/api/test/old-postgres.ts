import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

/** A message of PostgreSQL's protocol 3.0: type, length, body (PostgreSQL documentation, 54.7). */
const message = (type: string, body: Buffer) => {
  const head = Buffer.alloc(5)
  head.write(type, 0, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const int16 = (value: number) => Buffer.from([value >> 8, value & 255])
const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
const ready = message('Z', Buffer.from('I'))
const column = (name: string, type: number) =>
  Buffer.concat([
    Buffer.from(`${name}\0`),
    int32(0),
    int16(0),
    int32(type),
    int16(-1 & 0xffff),
    int32(-1),
    int16(0),
  ])
const value = (text: string) => Buffer.concat([int32(text.length), Buffer.from(text)])

const int4 = 23
const bool = 16

/**
 * A server that lets everybody in and returns one row to every question: that it is this version,
 * and its account no superuser.
 */
export async function startOldPostgres(
  version: number,
): Promise<AsyncDisposable & { url: string }> {
  const response = Buffer.concat([
    message('T', Buffer.concat([int16(2), column('version', int4), column('superuser', bool)])),
    message('D', Buffer.concat([int16(2), value(String(version)), value('f')])),
    message('C', Buffer.from('SELECT 1\0')),
    ready,
  ])
  const server = createServer((socket) => {
    socket.on('error', () => {})
    let started = false
    socket.on('data', (data) => {
      if (!started) {
        started = true
        socket.write(Buffer.concat([message('R', int32(0)), ready]))
      } else if (data.includes('server_version_num')) socket.write(response)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `postgres://atrium_api@127.0.0.1:${(server.address() as AddressInfo).port}/atrium`,
    async [Symbol.asyncDispose]() {
      await new Promise((done) => server.close(done))
    },
  }
}
