import { writeCheckText } from '@atrium/core/mail/check-text'
import { parseTagList } from '@atrium/core/mail/tag-list'
import { describe, expect, it } from 'vitest'

describe('a list of tags', () => {
  it.each<[string, Record<string, string>]>([
    ['v=DKIM1; k=rsa; p=MIIB', { v: 'DKIM1', k: 'rsa', p: 'MIIB' }],
    [' V = DKIM1 ;\tp=\t', { v: 'DKIM1', p: '' }],
    ['p=a=b==', { p: 'a=b==' }],
    ['v=1;', { v: '1' }],
    ['v=1; ', { v: '1' }],
    ['x_1=y', { x_1: 'y' }],
    ['', {}],
  ])('reads %j', (text, tags) => {
    expect(Object.fromEntries(parseTagList(text).tags ?? [])).toEqual(tags)
    expect(parseTagList(text).fault).toBeUndefined()
  })

  it.each([
    ['v=1; none ; p=x', '“none” has no “=”.'],
    ['v=1;;p=x', '“” has no “=”.'],
    ['v=1;;', '“” has no “=”.'],
    ['v=1; =x ', '“=x” is not a tag.'],
    ['1a=x', '“1a=x” is not a tag.'],
    ['a-b=x', '“a-b=x” is not a tag.'],
    ['-a=x', '“-a=x” is not a tag.'],
    ['a =x; a b=y', '“a b=y” is not a tag.'],
    ['k=1; K=2', 'The tag k= appears twice.'],
  ])('names the fault of %j', (text, fault) => {
    const found = parseTagList(text)
    expect(found.tags).toBeUndefined()
    expect(found.fault && writeCheckText(found.fault, 'en')).toBe(fault)
  })
})
