import { restRoutes } from '@atrium/api/http/rest'

/** Calls that create something, found by walking the routes. */
export const creating = restRoutes()
  .filter(({ method, creates, type }) => method === 'POST' && creates && type === 'mutation')
  .map(({ name, secretResponse, visitors, repeatable }) => ({
    name,
    secretResponse: secretResponse && !repeatable,
    visitors,
  }))
