import { expect, it } from 'vitest'
import { signInAddress } from '../src/trpc-client.ts'

it('comes back to the page and its query after signing in', () => {
  const address = signInAddress({ pathname: '/t/acme/audit', search: '?q=a%26b&outcome=denied' })
  const query = new URLSearchParams(address.slice(address.indexOf('?')))
  expect(address.startsWith('/auth/login?')).toBe(true)
  expect(query.get('returnTo')).toBe('/t/acme/audit?q=a%26b&outcome=denied')
})
