import { describe, expect, it } from 'vitest'
import { createKeyedLimiter } from '../src/platform/keyed-limiter.ts'

/** Work that ends when it is told to, and tells when it began. */
function piece(started: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const work = () => {
    started.push(name)
    return promise
  }
  return { work, end: () => resolve(name), fail: () => reject(new Error(name)) }
}
const moment = () => new Promise<void>((done) => setImmediate(done))

describe('work of one key', () => {
  it('is done one after the other, in the order in which it came, also after a failure', async () => {
    const keyedLimiter = createKeyedLimiter()
    const started: string[] = []
    const [a, b, c] = [piece(started, 'a'), piece(started, 'b'), piece(started, 'c')]
    const all = Promise.allSettled([a, b, c].map(({ work }) => keyedLimiter.take('key', work)))
    await moment()
    expect(started).toEqual(['a'])
    a.fail()
    await moment()
    expect(started).toEqual(['a', 'b'])
    b.end()
    c.end()
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(started).toEqual(['a', 'b', 'c'])
  })

  it('has as many places as it is given, and each goes to who waited longest', async () => {
    const keyedLimiter = createKeyedLimiter()
    const started: string[] = []
    const pieces = ['a', 'b', 'c', 'd'].map((name) => piece(started, name))
    const all = Promise.all(pieces.map(({ work }) => keyedLimiter.take('key', work, 2)))
    await moment()
    expect(started).toEqual(['a', 'b'])
    pieces[1]?.end()
    await moment()
    expect(started).toEqual(['a', 'b', 'c'])
    for (const { end } of pieces) end()
    expect(await all).toEqual(['a', 'b', 'c', 'd'])
    const late = piece(started, 'late')
    late.end()
    expect(await keyedLimiter.take('key', late.work, 2)).toBe('late')
  })

  it('does not wait for work of another key', async () => {
    const keyedLimiter = createKeyedLimiter()
    const started: string[] = []
    const [a, b] = [piece(started, 'a'), piece(started, 'b')]
    const all = [keyedLimiter.take('one', a.work), keyedLimiter.take('other', b.work)]
    await moment()
    expect(started).toEqual(['a', 'b'])
    a.end()
    b.end()
    await Promise.all(all)
  })
})
