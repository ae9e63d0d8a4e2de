import { mailStates } from '@atrium/core/mail/mail-states'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: TestApp
beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false, env: { LIMITS: 'changes_token_minute=1' } })
})
afterAll(() => testApp?.[Symbol.asyncDispose]())

interface ErrorBody {
  title: string
  detail: string
  code: string
  error: { json: { message: string } }
}

async function read(path: string, language: string): Promise<ErrorBody> {
  const headers = { 'accept-language': language }
  const response = await testApp.app.fetch(new Request(`http://api.test${path}`, { headers }), {})
  return response.json() as Promise<ErrorBody>
}

describe('an error', () => {
  it.each([
    ['de-CH, en;q=0.5', 'Ein gültiges Zugriffstoken ist erforderlich.'],
    ['en-US', 'A valid access token is required.'],
    ['fr', 'A valid access token is required.'],
    ['en-XA', '⟦A valid access token is required.⟧'],
  ])('for Accept-Language %j has its title and detail in that language', async (language, text) => {
    const rest = await read('/users/me', language)
    expect(rest).toMatchObject({ title: text, detail: text, code: 'unauthenticated' })
    const trpc = await read('/trpc/users.me', language)
    expect(trpc.error.json.message).toBe(text)
  })

  it('has its detail and issues in that language, with their values', async () => {
    const token = await testApp.token('operator@atrium.test')
    const response = await testApp.request('POST', '/tenants', {
      token,
      headers: { 'accept-language': 'de' },
      body: { name: 'Neu', slug: 'acme' },
    })
    expect(response.body).toMatchObject({
      title: 'Diesen Namen gibt es bereits.',
      detail: 'Ein Mandant mit diesem Kurznamen existiert bereits.',
      issues: [{ path: 'slug', message: 'Ein Mandant mit diesem Kurznamen existiert bereits.' }],
    })
  })

  it('says in that language what a schema rejects, also beside a request in another one', async () => {
    const token = await testApp.token('operator@atrium.test')
    const issuesIn = async (language: string) => {
      const { body } = await testApp.request('GET', '/outbox?state=lost&cursor=old&colour=red', {
        token,
        headers: { 'accept-language': language },
      })
      return body.issues
    }
    const states = mailStates.join(', ')
    expect(await Promise.all([issuesIn('de'), issuesIn('en')])).toEqual([
      [
        { path: 'state', message: `Verwenden Sie einen dieser Werte: ${states}.` },
        { path: 'cursor', message: 'Dies ist kein Cursor, den die API geliefert hat.' },
        { path: 'colour', message: 'Dieses Feld ist hier nicht bekannt.' },
      ],
      [
        { path: 'state', message: `Use one of: ${states}.` },
        { path: 'cursor', message: 'This is not a cursor that the API returned.' },
        { path: 'colour', message: 'This field is unknown.' },
      ],
    ])
  })

  it('names a month that is still to come in that language', async () => {
    const { body } = await testApp.request('GET', '/reports/growth?to=2099-01', {
      token: await testApp.token('operator@atrium.test'),
      headers: { 'accept-language': 'de' },
    })
    expect(body.issues).toEqual([{ path: 'to', message: 'Dieser Monat liegt in der Zukunft.' }])
  })

  it('names a limit in that language', async () => {
    const token = await testApp.token('owner@acme.test')
    const rename = () =>
      testApp.request('PATCH', '/tenants/acme', {
        token,
        headers: { 'accept-language': 'de' },
        body: { industry: 'Handel' },
      })
    await rename()
    const { body } = await rename()
    expect(body.detail).toMatch(
      /^Höchstens 1 Änderungen pro Minute mit einem Zugriffstoken\. Weitere sind ab .+Z möglich\./,
    )
  })
})
