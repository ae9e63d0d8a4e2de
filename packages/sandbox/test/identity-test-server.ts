import { demoPeople, demoServiceCredentials } from '@atrium/core/demo/demo'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type Sandbox, startSandbox } from '../src/start.ts'

export const owner = 'owner@acme.test'
export const subjectOf = (email: string) =>
  demoPeople.find((person) => person.email === email)?.subject

/** A sandbox for the tests of a file, as it was before each, with its identity provider at hand. */
export function identityTestServer() {
  let started: Sandbox | undefined
  const sandbox = (): Sandbox => {
    if (!started) throw new Error('the sandbox is not started yet')
    return started
  }
  beforeAll(async () => {
    started = await startSandbox()
  })
  afterEach(() => sandbox().reset())
  afterAll(() => sandbox().close())

  /** A call of the REST API, with the platform's token where no other is given. */
  async function api(
    method: string,
    path: string,
    body?: unknown,
    token: string = demoServiceCredentials.identityToken,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(`${sandbox().identityUrl}/api/v3/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
  }
  const pkOf = (email: string) => sandbox().identity.findUser(email)?.pk
  return { sandbox, api, pkOf }
}
