import { randomUUID } from 'node:crypto'
import type { EndedTry } from '@atrium/db/outbox/outbox'
import { expect, it } from 'vitest'
import { createOutcomeSaver } from '../src/outbox/outcomes.ts'

const ended = (id: string): EndedTry => ({
  mail: { id, run: randomUUID() },
  outcome: { sent: true },
  now: new Date(),
})
const keyedLimiter = () => new Promise((done) => setImmediate(done))

/** Statements that end when they are told to. */
function statements() {
  const begun: { ids: string[]; end: PromiseWithResolvers<ReadonlySet<string>> }[] = []
  const save = createOutcomeSaver((tries) => {
    const end = Promise.withResolvers<ReadonlySet<string>>()
    begun.push({ ids: tries.map(({ mail }) => mail.id), end })
    return end.promise
  })
  return { begun, save }
}

it('saves an outcome at once, and those that come meanwhile together after it', async () => {
  const { begun, save } = statements()
  const first = save(ended('a'))
  await keyedLimiter()
  const others = [save(ended('b')), save(ended('c'))]
  await keyedLimiter()
  expect(begun.map(({ ids }) => ids)).toEqual([['a']])
  begun[0]?.end.resolve(new Set(['a']))
  expect(await first).toBe(true)
  await keyedLimiter()
  expect(begun.map(({ ids }) => ids)).toEqual([['a'], ['b', 'c']])
  begun[1]?.end.resolve(new Set(['c']))
  expect(await Promise.all(others)).toEqual([false, true])
})

it('tells everyone whose statement failed, and goes on with the next', async () => {
  const { begun, save } = statements()
  const first = save(ended('a'))
  await keyedLimiter()
  const second = save(ended('b'))
  begun[0]?.end.reject(new Error('the connection was lost'))
  await expect(first).rejects.toThrow('the connection was lost')
  await keyedLimiter()
  begun[1]?.end.resolve(new Set(['b']))
  expect(await second).toBe(true)
})
