import type { Logger } from '@atrium/bff/log'
import type { Metrics } from '@atrium/bff/metrics'
import { commit, version } from '@atrium/core/platform/version'
import { detectLanguage } from '@atrium/messages/detect-language'
import { TRPCClientError } from '@trpc/client'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { type ConnectApi, createApiConnection } from './api.ts'
import type { Assets } from './assets.ts'
import { compressed } from './compression.ts'
import type { BookingConfig } from './config.ts'
import { formatsOf } from './formats.ts'
import { languageChoice } from './language-choice.ts'
import { renderPage } from './pages/layout.ts'
import { messagePage } from './pages/message-page.ts'
import type { BookingParts } from './parts.ts'
import { problemOf } from './problems.ts'
import {
  invalidLinkPage,
  notFoundPage,
  pageStatus,
  rejectionPage,
  retryAfter,
} from './rejections.ts'
import type { AppContext, AppEnv } from './request.ts'
import { requestLog } from './request-log.ts'
import { bookRoutes } from './routes/book.ts'
import { manageRoutes } from './routes/manage.ts'
import { pageRoutes } from './routes/pages.ts'
import { securityHeaders } from './security-headers.ts'

export interface BookingAppOptions {
  config: BookingConfig
  assets: Assets
  log: Logger
  metrics?: Metrics | undefined
  /** How the API is reached; given by tests. */
  connect?: ConnectApi
  now?: () => number
  /** Ends readiness; given by the server that stops. */
  draining?: AbortSignal
}

const formBytes = 128 * 1024

/**
 * The booking pages without their listening socket. Their only cookie holds a chosen language, so a
 * request has no authority beyond its own content: a form sent by another site can do nothing that
 * the site could not do itself, and forms need no CSRF token.
 */
export function createBookingApp({
  config,
  assets,
  log,
  metrics,
  connect = createApiConnection(config),
  now = Date.now,
  draining,
}: BookingAppOptions): Hono<AppEnv> {
  const parts: BookingParts = { config, publicUrl: config.publicUrl, assets, connect, now }
  const app = new Hono<AppEnv>()
  if (metrics) app.use(metrics.observe)
  app.use(requestLog(log), securityHeaders(config.publicUrl), compressed())
  app.use(detectLanguage())
  app.use(async (c, next) => {
    c.set('formats', formatsOf(c, c.get('language')))
    await next()
  })
  app.onError((error, c) => failureResponse(error, c, parts))
  app.notFound((c) => renderPage(c, parts, notFoundPage(c.get('formats')), 404))

  app.get('/health', (c) => c.json({ service: 'atrium-booking', status: 'ok', version, commit }))
  app.get('/health/ready', (c) => {
    const ready = draining?.aborted !== true
    return c.json({ ready }, ready ? 200 : 503)
  })
  app.get('/robots.txt', (c) => c.text('User-agent: *\nDisallow: /manage/\n'))
  app.get('/embed.js', (c) => assets.embed(c))
  app.get(
    '/assets/:file{page\\.[\\w-]+\\.js}',
    async (c) => (await assets.script(c, c.req.param('file').split('.')[1] ?? '')) ?? c.notFound(),
  )
  app.use(languageChoice(config.publicUrl))
  app.get('/', (c) => {
    const { text } = c.get('formats')
    return renderPage(c, parts, messagePage(text('frame.start.title'), text('frame.start.hint')))
  })
  app.on(
    'POST',
    '*',
    bodyLimit({
      maxSize: formBytes,
      onError: (c) => c.text((c as AppContext).get('formats').text('frame.formTooLong'), 413),
    }),
  )
  app.route('/', manageRoutes(parts))
  app.route('/', bookRoutes(parts))
  app.route('/', pageRoutes(parts))
  return app
}

/** A rejection of the API that no page handles, or an internal error. */
async function failureResponse(
  error: unknown,
  c: AppContext,
  parts: BookingParts,
): Promise<Response> {
  const formats = c.get('formats')
  if (!(error instanceof TRPCClientError)) {
    c.set('err', error)
    return renderPage(
      c,
      parts,
      messagePage(formats.text('frame.fault.title'), formats.text('frame.fault.hint')),
      500,
    )
  }
  const problem = problemOf(error)
  c.set('rejection', problem.code)
  const seconds = retryAfter(problem)
  if (seconds !== undefined) c.header('retry-after', String(seconds))
  if (problem.code === 'not_found' && c.req.path.startsWith('/manage/'))
    return renderPage(c, parts, invalidLinkPage(formats), 404)
  const again = c.req.method === 'GET' ? c.req.path + new URL(c.req.url).search : undefined
  return renderPage(
    c,
    parts,
    rejectionPage(formats, problem, again === undefined ? {} : { again }),
    pageStatus(problem),
  )
}
