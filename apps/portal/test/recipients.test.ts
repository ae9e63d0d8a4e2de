import { describe, expect, it } from 'vitest'
import {
  allRecipients,
  changesOf,
  faultsByAddress,
  outside,
  readRecipients,
} from '../src/lists/recipients.ts'

describe('pasted recipients', () => {
  it('are found between lines, commas, semicolons and blanks, each once and lower-case', () => {
    expect(
      readRecipients('Ada@Acme.test, bob@acme.test;\r\n  ada@acme.test carol@else.test\n'),
    ).toEqual({
      addresses: ['ada@acme.test', 'bob@acme.test', 'carol@else.test'],
      unreadable: [],
    })
  })

  it('are read in the form of mail programs, with names and links', () => {
    expect(
      readRecipients(
        '"Lovelace, Ada" <ada@acme.test>, Bob B. <mailto:bob@acme.test>; (carol@acme.test)',
      ),
    ).toEqual({
      addresses: ['ada@acme.test', 'bob@acme.test', 'carol@acme.test'],
      unreadable: [],
    })
  })

  it('name the pieces that are no address, each with its reason', () => {
    const { addresses, unreadable } = readRecipients(
      'ada@acme.test nonsense müller@acme.test eve@bücher.de',
    )
    expect(addresses).toEqual(['ada@acme.test', 'eve@xn--bcher-kva.de'])
    expect(unreadable).toEqual([
      { text: 'nonsense', reason: 'This is not an e-mail address.' },
      { text: 'müller@acme.test', reason: expect.stringContaining('accents') },
    ])
  })
})

it('tells which recipients are outside, and takes no look-alike domain for an own one', () => {
  expect(outside(['a@acme.test', 'b@evil-acme.test', 'c@sub.acme.test'], ['acme.test'])).toEqual([
    'b@evil-acme.test',
    'c@sub.acme.test',
  ])
})

describe('changes of the recipients', () => {
  it('are those added and those removed alone, and none when nothing differs', () => {
    expect(changesOf(['a@x.test', 'b@x.test'], ['b@x.test', 'c@x.test'])).toEqual({
      add: ['c@x.test'],
      remove: ['a@x.test'],
    })
    expect(changesOf(['a@x.test'], ['a@x.test'])).toBeUndefined()
  })

  it('that were rejected put each sentence at its address', () => {
    const issues = [
      { path: 'add.1', message: 'This would be a loop.' },
      { path: 'name', message: 'Too long.' },
      { path: 'add.9', message: 'Nobody sent this.' },
    ]
    expect([...faultsByAddress(issues, { add: ['a@x.test', 'b@x.test'] })]).toEqual([
      ['b@x.test', 'This would be a loop.'],
    ])
  })
})

it('takes what still stands in the field when a form is sent, and sends nothing while part of it is no address', () => {
  expect(allRecipients(['a@x.test'], 'B@x.test a@x.test')).toEqual({
    recipients: ['a@x.test', 'b@x.test'],
  })
  expect(allRecipients(['a@x.test'], 'b@x.test oops')).toEqual({
    fault: 'oops: This is not an e-mail address.',
  })
})
