import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createProcessGroup } from '../processes.ts'

/**
 * Rejects to run beside another one, as a server does whose port is taken, and takes its time to
 * end.
 */
const server = `
import { appendFileSync, openSync, rmSync } from 'node:fs'
const [held, started] = [process.env.HELD, process.env.STARTED]
openSync(held, 'wx')
appendFileSync(started, process.pid + '\\n')
process.on('SIGTERM', () => setTimeout(() => { rmSync(held); process.exit(0) }, 300))
setInterval(() => {}, 1000)
`

it('restarts a process of the local workplace once for changes that follow each other, when the one before has ended', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'household-'))
  const [script, started] = [join(folder, 'server.mjs'), join(folder, 'started')]
  await writeFile(script, server)
  const processes = createProcessGroup(join(folder, 'logs'))
  const failures: string[] = []
  processes.onFailure((name, lines) => failures.push(`${name}: ${lines.join(' ')}`))
  const starts = async () =>
    (await readFile(started, 'utf8').catch(() => '')).split('\n').length - 1
  try {
    const process = processes.start('server', script, {
      HELD: join(folder, 'held'),
      STARTED: started,
    })
    await expect.poll(starts, { timeout: 20_000 }).toBe(1)
    await Promise.all([process.restart(), process.restart(), process.restart()])
    await expect.poll(starts, { timeout: 20_000 }).toBe(2)
    await process.restart()
    await expect.poll(starts, { timeout: 20_000 }).toBe(3)
    expect(failures).toEqual([])
  } finally {
    await processes.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
