import { expect, it } from 'vitest'
import { eachPage } from '../src/payments/pages.ts'

it('each page is asked for by the id that the page before named, up to the last one', async () => {
  const next: Readonly<Record<string, string | null>> = { first: 'b', b: 'c', c: null }
  const asked: (string | null)[] = []
  const read = async (after: string | null) => {
    asked.push(after)
    return { next: next[after ?? 'first'] ?? null }
  }
  const pages = await Array.fromAsync(eachPage(read))
  expect(asked).toEqual([null, 'b', 'c'])
  expect(pages).toEqual([{ next: 'b' }, { next: 'c' }, { next: null }])
})

it('no further page is asked for once its reader stops', async () => {
  const asked: (string | null)[] = []
  const read = async (after: string | null) => {
    asked.push(after)
    return { next: 'more' }
  }
  for await (const { next } of eachPage(read)) if (next === 'more') break
  expect(asked).toEqual([null])
})
