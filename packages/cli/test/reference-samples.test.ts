import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { openApiDocument } from '@atrium/api/http/openapi'
import { exampleBody } from '@atrium/api/http/reference/sample-request'
import { requestSamples } from '@atrium/api/http/reference/samples'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProgram } from '../src/program.ts'

interface Received {
  method: string
  path: string
  body: unknown
}

let server: Server
let received: Received[] = []
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = await text(request)
    received.push({
      method: request.method ?? '',
      path: new URL(request.url ?? '', 'http://api.test').pathname,
      body: body === '' ? undefined : JSON.parse(body),
    })
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up))
})
afterAll(() => new Promise((done) => server.close(done)))

/** The words of a command, as a shell reads them. */
const wordsOf = (command: string) =>
  [...command.matchAll(/'([^']*)'|([^\s'\\]+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

/** Runs a command in this process against the server, and returns what it sent. */
async function send(command: string): Promise<Received[]> {
  received = []
  const { port } = server.address() as AddressInfo
  const [, ...words] = wordsOf(command)
  const program = createProgram('0.0.0', {
    env: {
      ATRIUM_URL: `http://127.0.0.1:${port}`,
      ATRIUM_TOKEN: 'atr_',
      ATRIUM_CONFIG: '/nowhere',
    },
    width: 100,
    interactive: false,
    out: new PassThrough().resume(),
    print() {},
    note() {},
  })
  await program.parseAsync([...words, '--json'], { from: 'user' })
  return received
}

describe('the samples of the API reference', () => {
  it('send what their operation takes', async () => {
    const document = openApiDocument('0.0.0', '/')
    for (const [path, item] of Object.entries(document.paths))
      for (const [name, operation] of Object.entries(item)) {
        // `atrium events tail` goes on until it is stopped.
        if (operation.operationId === 'events-stream') continue
        const method = name.toUpperCase()
        const samples = requestSamples(document, { method, path, operation })
        const { text: command = '' } =
          samples.find(({ language }) => language === 'Command line') ?? {}
        const sent = await send(command).catch((error: Error) => error.message)
        const address = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)
        const body = exampleBody(document, operation)
        expect.soft(sent, command).toEqual([{ method, path: expect.stringMatching(address), body }])
      }
  })
})
