import { describe, expect, it } from 'vitest'
import { createTurns } from '../src/turns.ts'

/** Work that ends when it is told to, and tells when it began. */
function piece(begun: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const work = () => {
    begun.push(name)
    return promise
  }
  return { work, end: () => resolve(name), fail: () => reject(new Error(name)) }
}
const moment = () => new Promise<void>((done) => setImmediate(done))

describe('work of one key', () => {
  it('is done one after the other, in the order in which it came, also after a failure', async () => {
    const turns = createTurns()
    const begun: string[] = []
    const [a, b, c] = [piece(begun, 'a'), piece(begun, 'b'), piece(begun, 'c')]
    const all = Promise.allSettled([a, b, c].map(({ work }) => turns.take('key', work)))
    await moment()
    expect(begun).toEqual(['a'])
    a.fail()
    await moment()
    expect(begun).toEqual(['a', 'b'])
    b.end()
    c.end()
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  it('has as many places as it is given, and each goes to who waited longest', async () => {
    const turns = createTurns()
    const begun: string[] = []
    const pieces = ['a', 'b', 'c', 'd'].map((name) => piece(begun, name))
    const all = Promise.all(pieces.map(({ work }) => turns.take('key', work, 2)))
    await moment()
    expect(begun).toEqual(['a', 'b'])
    pieces[1]?.end()
    await moment()
    expect(begun).toEqual(['a', 'b', 'c'])
    for (const { end } of pieces) end()
    expect(await all).toEqual(['a', 'b', 'c', 'd'])
    const late = piece(begun, 'late')
    late.end()
    expect(await turns.take('key', late.work, 2)).toBe('late')
  })

  it('does not wait for work of another key', async () => {
    const turns = createTurns()
    const begun: string[] = []
    const [a, b] = [piece(begun, 'a'), piece(begun, 'b')]
    const all = [turns.take('one', a.work), turns.take('other', b.work)]
    await moment()
    expect(begun).toEqual(['a', 'b'])
    a.end()
    b.end()
    await Promise.all(all)
  })
})
