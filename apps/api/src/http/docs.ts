import { createHash } from 'node:crypto'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { Hono } from 'hono'
import type { ApiDocument } from './openapi-document.ts'
import { eventTypePage, eventTypesPage } from './reference/event-pages.ts'
import type { Html, Section } from './reference/page.ts'
import { errorsPage, overview, sectionPage, sectionsOf } from './reference/pages.ts'
import { pageScript } from './reference/script.ts'
import { style } from './reference/style.ts'
import type { AppEnv } from './request-info.ts'

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const makePolicy = () =>
  [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(pageScript())}`,
    // Requests of "Try it".
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/**
 * `/docs`: the API reference, made on the server from the OpenAPI document. Only "Try it" needs the
 * pages' script. `/docs/webhook-events`: every type of event with its schema. `/docs/errors`: every
 * error code, where the `type` of a problem points. A page is made when it is first asked for and
 * kept; a search is over 550 short lines.
 */
export function docsPages(readDocument: () => Promise<ApiDocument>): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  const kept = new Map<string, string>()
  let read: Promise<ApiDocument> | undefined
  const documentOf = () => {
    read ??= readDocument()
    return read
  }
  let known: Section[] | undefined
  const sections = async () => {
    known ??= sectionsOf(await documentOf())
    return known
  }
  async function keep(name: string, make: () => Html | Promise<Html>): Promise<string> {
    const there = kept.get(name)
    if (there !== undefined) return there
    const made = String(await make())
    kept.set(name, made)
    return made
  }
  let policy: string | undefined
  app.use(async (c, next) => {
    await next()
    policy ??= makePolicy()
    c.header('content-security-policy', policy)
  })
  app.get('/', async (c) => {
    c.set('route', '/docs')
    const search = (c.req.query('q') ?? '').trim().slice(0, 200)
    const make = async () => overview(await documentOf(), await sections(), search)
    return c.html(search === '' ? await keep('', make) : String(await make()))
  })
  app.get('/errors', async (c) => {
    c.set('route', '/docs/errors')
    return c.html(await keep('errors', async () => errorsPage(await sections())))
  })
  app.get('/webhook-events', async (c) => {
    c.set('route', '/docs/webhook-events')
    return c.html(
      await keep('webhook-events', async () =>
        eventTypesPage(await documentOf(), await sections()),
      ),
    )
  })
  app.get('/webhook-events/:type', async (c) => {
    const document = await documentOf()
    const type = c.req.param('type')
    const found = Object.hasOwn(document.webhooks, type) ? document.webhooks[type] : undefined
    if (!found) throw new AppError('not_found', errorText('nothingAtAddress'))
    c.set('route', '/docs/webhook-events/{type}')
    return c.html(
      await keep(`webhook-events/${type}`, async () =>
        eventTypePage(document, await sections(), type, found.post),
      ),
    )
  })
  app.get('/:section', async (c) => {
    const section = (await sections()).find(({ name }) => name === c.req.param('section'))
    if (!section) throw new AppError('not_found', errorText('nothingAtAddress'))
    c.set('route', '/docs/{section}')
    return c.html(
      await keep(section.name, async () =>
        sectionPage(await documentOf(), await sections(), section),
      ),
    )
  })
  return app
}
