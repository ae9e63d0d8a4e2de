import { startTestBff } from '@atrium/testing/bff/test-bff'
import { expect, it } from 'vitest'
import { readAppConfig } from '../src/config.ts'

const ask = async (env: Record<string, string>) => {
  await using testBff = await startTestBff({ env })
  const browser = testBff.browser()
  const address = `${testBff.publicUrl}/api/api-address`
  expect((await browser.fetch(address)).status).toBe(401)
  await browser.signIn(testBff.publicUrl, 'owner@acme.test')
  return (await browser.fetch(address)).json()
}

it('says where programs reach the API to people who are signed in', async () => {
  expect(await ask({ API_PUBLIC_URL: 'https://api.example.test/' })).toEqual({
    url: 'https://api.example.test',
  })
})

it('says that it was not told', async () => {
  expect(await ask({})).toEqual({ url: null })
})

it('does not start with something else than an address', () => {
  expect(() => readAppConfig('portal', { API_PUBLIC_URL: 'api.example.test' })).toThrow(
    /API_PUBLIC_URL: is not an http\(s\) address/,
  )
})
