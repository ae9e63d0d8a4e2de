import { expect, it } from 'vitest'
import { httpClient } from '../src/http-client.ts'

const failing = (code: string) =>
  httpClient('identity', 'Bearer token', {
    baseUrl: 'http://identity.test',
    retries: 0,
    fetch: async () => {
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('of the library'), { code }),
      })
    },
  })
const message = (code: string): Promise<string> => {
  const client = failing(code)
  const ask = client.operation('listGroups', undefined, (operation) =>
    client.send(operation, {
      label: 'GET /',
      repeatable: false,
      method: 'GET',
      path: '',
      accept: [200],
      read: () => undefined,
    }),
  )
  return ask.then(
    () => 'no failure',
    (error: Error) => error.message,
  )
}

it.each(['UND_ERR_INFO', 'ERR_STREAM_PREMATURE_CLOSE', 'Z_NEED_DICT', 'constructor'])(
  'a failure with %s shows no code of a library',
  async (code) => {
    expect(await message(code)).toBe(
      'The identity provider could not be reached. [identity.listGroups: connection]',
    )
  },
)

it.each([
  ['Z_DATA_ERROR', 'the answer could not be unpacked'],
  ['UND_ERR_CONNECT_TIMEOUT', 'nothing answers at its address'],
])('a failure with %s is told in words', async (code, words) => {
  expect(await message(code)).toContain(words)
})
