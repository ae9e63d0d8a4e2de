import superjson from 'superjson'
import { expect, it } from 'vitest'
import { signInAddress, transformer } from '../src/trpc-client.ts'

it('comes back to the page and its query after signing in', () => {
  const address = signInAddress({ pathname: '/t/acme/audit', search: '?q=a%26b&outcome=denied' })
  const query = new URLSearchParams(address.slice(address.indexOf('?')))
  expect(address.startsWith('/auth/login?')).toBe(true)
  expect(query.get('returnTo')).toBe('/t/acme/audit?q=a%26b&outcome=denied')
})

it('sends marks of values, and no notes on values that are the same object', () => {
  const shared = { at: new Date(0) }
  const sent = JSON.parse(
    JSON.stringify(transformer.input.serialize({ a: shared, b: shared, c: undefined })),
  )
  expect(Object.keys(sent.meta).sort()).toEqual(['v', 'values'])
  expect(superjson.deserialize(sent)).toEqual({ a: shared, b: shared, c: undefined })
  expect(transformer.input.serialize({ a: 1 })).toEqual({ json: { a: 1 } })
})
