import { describe, expect, it } from 'vitest'
import { currentCursor, readCursorHistory, stepBack, stepForward } from '../src/paging.ts'

describe('the cursors through a paged list', () => {
  it('starts on the first page, without a cursor', () => {
    expect(readCursorHistory(undefined)).toEqual([])
    expect(currentCursor(undefined)).toBeUndefined()
    expect(stepBack(undefined)).toBeUndefined()
  })

  it('leads forward and back over the same pages', () => {
    const second = stepForward(undefined, 'b')
    const third = stepForward(second, 'c')
    expect(currentCursor(third)).toBe('c')
    expect(stepBack(third)).toBe(second)
    expect(stepBack(second)).toBeUndefined()
  })

  it('keeps audit cursors whole, which hold a time and an id', () => {
    const cursor = '2026-11-21T10:00:00.123456Z_0196f1d2-aaaa-7bbb-8ccc-000000000001'
    expect(currentCursor(stepForward(stepForward(undefined, cursor), cursor))).toBe(cursor)
  })

  it('forgets the oldest steps so that the address stays short', () => {
    let cursors: string | undefined
    for (let page = 1; page <= 100; page++) cursors = stepForward(cursors, `page-${page}`)
    expect(readCursorHistory(cursors)).toHaveLength(30)
    expect(currentCursor(cursors)).toBe('page-100')
    expect(readCursorHistory(cursors)[0]).toBe('page-71')
  })

  it('ignores empty parts of a mistyped address', () => {
    expect(readCursorHistory('*a**b*')).toEqual(['a', 'b'])
  })
})
