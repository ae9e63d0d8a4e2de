import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createLogger } from '../src/platform/log.ts'
import { standardOutput } from '../src/platform/log-output.ts'

function collect() {
  const blocks: string[] = []
  return {
    blocks,
    log: createLogger(
      'info',
      standardOutput((text) => blocks.push(text)),
    ),
  }
}

it('writes the lines of a moment in one block, in their order', async () => {
  const { blocks, log } = collect()
  for (const n of [1, 2, 3]) log.info({ n }, 'line')
  expect(blocks).toEqual([])
  await expect.poll(() => blocks.length).toBe(1)
  const lines = (blocks[0] ?? '').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).n)).toEqual([1, 2, 3])
})

it('writes an error at once, with everything that came before it', () => {
  const { blocks, log } = collect()
  log.info('before')
  log.error('now')
  log.info('after')
  expect(blocks).toHaveLength(1)
  expect(blocks[0]).toMatch(/"msg":"before".*\n.*"msg":"now"/)
})

it('writes a full block without waiting', () => {
  const { blocks, log } = collect()
  for (let i = 0; i < 200; i++) log.info({ text: 'x'.repeat(200) }, 'line')
  expect(blocks.length).toBeGreaterThan(1)
})

it('writes nothing while there is nothing to write', async () => {
  const { blocks } = collect()
  await delay(150)
  expect(blocks).toEqual([])
})

it('writes what the job engine tells of an error, which is no error object', () => {
  const { blocks, log } = collect()
  log.error(
    {
      err: {
        message: 'connect ECONNREFUSED',
        stack: 'at connect',
        code: 'ECONNREFUSED',
        queue: 'outbox',
      },
    },
    'the job engine',
  )
  log.error({ err: { queue: 'outbox' } }, 'nothing known')
  const lines = blocks.join('').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).err)).toEqual([
    { type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED', stack: 'at connect' },
    { message: 'not an error object' },
  ])
})
