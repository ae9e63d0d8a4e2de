import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { rejectTakenPorts } from '../machine.ts'
import { baseFault, highestBase, portsOf, proposeBase } from '../ports.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFile(join(root, path), 'utf8')

describe('port bases of a local workplace', () => {
  it('end below the ports of outgoing connections', async () => {
    expect(Math.max(...Object.values(portsOf(highestBase)))).toBe(32_767)
    for (const base of [1_024, 4_000, 14_000, highestBase]) expect(baseFault(base)).toBeUndefined()
    for (const base of [highestBase + 1, 32_768, 60_000, 1_023, 4_000.5, Number.NaN])
      expect(baseFault(base)).toContain('ATRIUM_PORT_BASE')
    const child = spawn(process.execPath, ['dev.ts'], {
      cwd: root,
      env: { PATH: process.env.PATH, ATRIUM_PORT_BASE: '40000' },
    })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    expect(await new Promise((done) => child.once('exit', done))).toBe(78)
    expect(errors).toMatch(/^ATRIUM_PORT_BASE must be .*outgoing connections\.\n$/)
  }, 30_000)

  it('of the README and the help work beside a workplace on the default ones', async () => {
    const first = new Set(Object.values(portsOf(4_000)))
    for (const file of ['README.md', 'dev.ts']) {
      const [, base = ''] = /ATRIUM_PORT_BASE=(\d+)/.exec(await read(file)) ?? []
      expect(baseFault(Number(base)), file).toBeUndefined()
      expect(
        Object.values(portsOf(Number(base))).filter((port) => first.has(port)),
        file,
      ).toEqual([])
    }
  })

  it('that are proposed are free, and never that of one that runs', async () => {
    const taken = new Set([4_000, 14_000, 16_000].flatMap((base) => Object.values(portsOf(base))))
    expect(await proposeBase(async (port) => !taken.has(port))).toBe(18_000)
    const holder = createServer()
    await new Promise<void>((done) => holder.listen(0, '127.0.0.1', done))
    const { port } = holder.address() as { port: number }
    const message = await rejectTakenPorts([['api', port]]).then(
      () => '',
      (error: Error) => error.message,
    )
    await new Promise((done) => holder.close(done))
    expect(message).toMatch(
      new RegExp(`^In use already: port ${port} \\(api\\)\\.\\n.*ATRIUM_PORT_BASE=\\d+ `),
    )
  })
})

describe('the first screen of an installation', () => {
  it('has no warnings: packages are asked about the Node they run in, and the skills they ship are decided on', async () => {
    const workspace = parse(await read('pnpm-workspace.yaml')) as {
      nodeVersion: string
      catalog: Record<string, string>
      permissions: Record<string, { skills: boolean }>
    }
    expect(workspace.nodeVersion).toBe(workspace.catalog.node)
    const { engines } = JSON.parse(await read('package.json')) as { engines: { node: string } }
    const [, stated = ''] = /need Node (\d+) or newer/.exec(await read('README.md')) ?? []
    expect(engines.node).toBe(`>=${stated}`)
    const shipping = new Set<string>()
    for await (const path of glob('{apps,packages}/*/package.json', { cwd: root })) {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(await read(path)) as Record<
        string,
        Record<string, string>
      >
      for (const name of Object.keys({ ...dependencies, ...devDependencies }))
        if (existsSync(join(root, path, '../node_modules', name, 'skills'))) shipping.add(name)
    }
    expect(shipping.size).toBeGreaterThan(0)
    for (const name of shipping)
      expect(workspace.permissions[name], name).toMatchObject({ skills: false })
  })
})
