import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createProcessGroup, type ProcessGroup } from '../processes.ts'

const code = (path: string) => JSON.stringify(join(import.meta.dirname, '../..', path))

/**
 * Rejects to run beside another one, as a server does whose port is taken, and takes its time to
 * end.
 */
const server = `
import { appendFileSync, openSync, rmSync } from 'node:fs'
const [held, started] = [process.env.HELD, process.env.STARTED]
openSync(held, 'wx')
appendFileSync(started, process.pid + ' ' + process.ppid + '\\n')
process.on('SIGTERM', () => setTimeout(() => { rmSync(held); process.exit(0) }, 300))
setInterval(() => {}, 1000)
`

let folder: string
let script: string
let processes: ProcessGroup
let failures: string[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atrium-processes-'))
  script = join(folder, 'server.mjs')
  await writeFile(script, server)
  processes = createProcessGroup(join(folder, 'logs'))
  failures = []
  processes.onFailure((name, lines) => failures.push(`${name}: ${lines.join(' ')}`))
})
afterEach(async () => {
  await processes.stop()
  await rm(folder, { recursive: true, force: true })
})

const environment = () => ({ HELD: join(folder, 'held'), STARTED: join(folder, 'started') })
/** Of each start the process and its parent. */
const starts = async () =>
  (await readFile(join(folder, 'started'), 'utf8').catch(() => '')).split('\n').slice(0, -1)
const expectStarts = (count: number) =>
  expect.poll(async () => (await starts()).length, { timeout: 20_000 }).toBe(count)

it('restarts a process once for requests that follow each other, when the one before has ended', async () => {
  const process = processes.start('server', { script, environment: environment() })
  await expectStarts(1)
  await Promise.all([process.restart(), process.restart(), process.restart()])
  await expectStarts(2)
  await process.restart()
  await expectStarts(3)
  expect(failures).toEqual([])
})

it('restarts a watched process when its source changes, also after one that does not run', async () => {
  const watch = { inspectorPort: 0 }
  processes.start('server', { script, environment: environment(), watch })
  await expectStarts(1)
  await writeFile(script, `${server}// changed\n`)
  await expectStarts(2)
  expect(failures).toEqual([])

  await writeFile(script, `${server}nonsense nonsense\n`)
  await expect.poll(() => failures.join(), { timeout: 20_000 }).toContain('SyntaxError')
  await writeFile(script, server)
  await expectStarts(3)
  expect(await readFile(join(folder, 'logs/server.log'), 'utf8')).toContain('Debugger listening')
})

it.each([undefined, { inspectorPort: 0 }])(
  'leaves nothing behind when the launcher is killed (watch: %o)',
  async (watch) => {
    const program = JSON.stringify({ script, environment: environment(), watch })
    const launcher = spawn(process.execPath, [
      ...['--input-type=module', '-e'],
      `import { createProcessGroup } from ${code('dev/processes.ts')}
       createProcessGroup(${JSON.stringify(join(folder, 'logs'))}).start('server', ${program})`,
    ])
    await expectStarts(1)
    const [pid, parent] = ((await starts())[0] ?? '').split(' ').map(Number)
    launcher.kill('SIGKILL')
    for (const left of watch ? [pid, parent] : [pid])
      await expect.poll(() => isRunning(left), { timeout: 20_000 }).toBe(false)
  },
)

function isRunning(pid = 0): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
