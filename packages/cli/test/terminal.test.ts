import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../src/failure.ts'
import { createProgram } from '../src/program.ts'
import type { Terminal } from '../src/terminal.ts'

/** What the API was asked for. */
let asked: string[] = []
let respond = (response: ServerResponse): void => void response.writeHead(204).end()
let server: Server
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atrium-terminal-'))
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    respond(response)
  })
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  asked = []
  respond = (response) => void response.writeHead(204).end()
})

/** Runs the program within this process, for a person at a terminal who types `keys`. */
async function run(args: string[], keys: string | undefined, interactive = true) {
  const input = new PassThrough()
  const output = new PassThrough()
  const out = new PassThrough()
  const notes: string[] = []
  let question = ''
  output.on('data', (piece) => {
    question += piece
    if (keys === undefined || !question.includes('(y/N)')) return
    const typed = keys
    keys = undefined
    // The question listens once it is on the screen.
    setImmediate(() => input.write(typed))
  })
  const terminal: Terminal = {
    env: {
      ATRIUM_CONFIG: join(folder, 'none.json'),
      ATRIUM_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ATRIUM_TOKEN: 'atr_test',
      ATRIUM_TENANT: 'acme',
    },
    width: 80,
    interactive,
    prompt: { input, output },
    out,
    print: (line) => void out.write(`${line}\n`),
    note: (line) => void notes.push(line),
  }
  const printed = text(out)
  const failure = await createProgram('0', terminal)
    .parseAsync(args, { from: 'user' })
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  out.end()
  return { failure, question, notes, out: await printed }
}

const id = '0190a000-0000-7000-8000-000000000009'
const remove = ['lists', 'remove', id]
const sent = [`DELETE /tenants/acme/lists/${id}`]

describe('a deletion', () => {
  it('is carried out when the person confirms it', async () => {
    const { failure, question } = await run(remove, 'y\n')
    expect(failure).toBeUndefined()
    expect(question).toContain('?')
    expect(asked).toEqual(sent)
  })

  it.each(['n\n', '\n'])('is not carried out for %j', async (keys) => {
    const { failure } = await run(remove, keys)
    expect(failure).toMatchObject({ name: 'DeclinedError', message: 'Nothing was changed.' })
    expect(asked).toEqual([])
  })

  it('is not carried out when the person interrupts the question', async () => {
    const { failure } = await run(remove, '\u0003')
    expect(failure).toMatchObject({ name: 'ExitPromptError' })
    expect(asked).toEqual([])
  })

  it.each([
    [[...remove, '--yes'], true],
    [remove, false],
  ])('asks nothing for %j, at a terminal: %s', async (args, interactive) => {
    const { failure, question } = await run(args, undefined, interactive)
    expect([failure, question, asked]).toEqual([undefined, '', sent])
  })
})

describe('a file', () => {
  const download = ['audit', 'export']
  const bytes = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0x00, 0xfe])
  const complete = (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/pdf' }).end(bytes)
  const cutOff = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/csv', 'content-length': '100' })
    response.write('at,', () => response.destroy())
  }

  it('is written byte by byte, with its progress when it is watched', async () => {
    respond = complete
    const path = join(folder, 'export.pdf')
    const { failure, notes, out } = await run([...download, '--output', path, '--watch'], undefined)
    expect([failure, out, notes]).toEqual([undefined, '', ['0 kB']])
    expect(await readFile(path)).toEqual(bytes)
  })

  it('goes to the output without a path', async () => {
    respond = (response) => void response.writeHead(200).end('at,type\n1,2\n')
    const { out, notes } = await run(download, undefined)
    expect([out, notes]).toEqual(['at,type\n1,2\n', []])
  })

  it('does not appear when it is cut off', async () => {
    respond = cutOff
    const before = await readdir(folder)
    const { failure } = await run([...download, '--output', join(folder, 'half.csv')], undefined)
    expect(failure).toBeInstanceOf(Error)
    expect(await readdir(folder)).toEqual(before)
  })

  it('that cannot be written is named', async () => {
    respond = complete
    const path = join(folder, 'nowhere/export.csv')
    const { failure } = await run([...download, '--output', path], undefined)
    expect(failure).toBeInstanceOf(UsageError)
    expect((failure as Error).message).toContain(path)
  })
})
