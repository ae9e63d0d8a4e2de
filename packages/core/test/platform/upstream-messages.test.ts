import { splitUpstreamMessage, upstreamMessage } from '@atrium/core/platform/upstream-messages'
import { describe, expect, it } from 'vitest'

describe('a message about an upstream system', () => {
  it('splits into what it was made of', () => {
    const text = upstreamMessage(
      'The mail server could not be reached.',
      'ensureDomain: connection',
    )
    expect(splitUpstreamMessage(text)).toEqual({
      sentence: 'The mail server could not be reached.',
      detail: 'ensureDomain: connection',
    })
  })
  it('keeps a sentence behind the detail', () => {
    const text = `${upstreamMessage('The payment processor reported an error.', 'createInvoice: 500, server')} Nothing was charged.`
    expect(splitUpstreamMessage(text).sentence).toBe(
      'The payment processor reported an error. Nothing was charged.',
    )
  })
  it.each(['Plain text.', 'An open [ bracket', 'A closed ] bracket', ''])(
    'leaves %j alone',
    (text) => {
      expect(splitUpstreamMessage(text)).toEqual({ sentence: text, detail: null })
    },
  )
})
