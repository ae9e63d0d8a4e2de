import { setTimeout as pause } from 'node:timers/promises'
import { type Context, Hono } from 'hono'
import { authenticate } from './authentication.ts'
import type { Caller } from './caller.ts'
import { carryOut, parseRequest } from './dispatcher.ts'
import { runKeyTasks } from './dkim.ts'
import { limits } from './limits.ts'
import { reportedPermissions } from './permission-names.ts'
import { challenges, problems } from './problems.ts'
import type { MailWorld } from './registry-type.ts'
import { sessionResource, sessionState } from './session.ts'

export interface HttpSettings {
  /**
   * Delay in milliseconds, chosen at random between the two, of the response to bad credentials.
   */
  readonly failedLoginDelayMs: readonly [number, number]
  /**
   * Milliseconds that a request is worked on, so that requests at the same time really meet the
   * limit of four.
   */
  readonly workMs: number
  /** Requests per window and account; undefined: no limit. */
  readonly requestLimit: { readonly requests: number; readonly windowMs: number } | undefined
}

export interface MailBindings {
  readonly Bindings: { readonly remoteAddress?: string | undefined }
}

type MailContext = Context<MailBindings>
type Problem = ReturnType<typeof problems.notFound>

function problemResponse(problem: Problem): Response {
  return new Response(problem.body, { status: problem.status, headers: problem.headers })
}

function unauthorized(): Response {
  const response = problemResponse(problems.unauthorized())
  for (const challenge of challenges) response.headers.append('www-authenticate', challenge)
  return response
}

/**
 * The HTTP surface of Stalwart 0.16.18 that the platform uses: discovery, session, JMAP, health,
 * the caller's permissions.
 */
export function createMailApp(world: MailWorld, settings: HttpSettings): Hono<MailBindings> {
  const app = new Hono<MailBindings>()
  const inFlight = new Map<string, number>()
  const windows = new Map<string, { startedAt: number; requests: number }>()

  const isOverRate = (
    accountId: string,
    { requests, windowMs }: NonNullable<HttpSettings['requestLimit']>,
  ): number | undefined => {
    const window = windows.get(accountId)
    if (!window || window.startedAt + windowMs <= world.now()) {
      windows.set(accountId, { startedAt: world.now(), requests: 1 })
      return undefined
    }
    window.requests += 1
    return window.requests > requests
      ? Math.ceil((window.startedAt + windowMs - world.now()) / 1000)
      : undefined
  }

  const authenticated = async (
    context: MailContext,
    handle: (caller: Caller) => Response | Promise<Response>,
  ): Promise<Response> => {
    const caller = authenticate(
      world,
      context.req.header('authorization') ?? '',
      context.env.remoteAddress,
    )
    if (caller === 'unauthorized') {
      const [least, most] = settings.failedLoginDelayMs
      if (context.req.header('authorization')) await pause(least + Math.random() * (most - least))
      return unauthorized()
    }
    if (caller === 'forbidden') return problemResponse(problems.forbidden())
    if (caller === 'codeRequired') return problemResponse(problems.codeRequired())

    const limited =
      settings.requestLimit && !caller.permissions.has('unlimitedRequests')
        ? settings.requestLimit
        : undefined
    const reset = limited && isOverRate(caller.accountId, limited)
    if (limited && reset !== undefined)
      return problemResponse(
        problems.tooManyRequests(limited.requests, limited.windowMs / 1000, reset),
      )

    const running = inFlight.get(caller.accountId) ?? 0
    if (running >= limits.maxConcurrentRequests)
      return problemResponse(problems.limit('maxConcurrentRequests'))
    inFlight.set(caller.accountId, running + 1)
    try {
      if (settings.workMs > 0) await pause(settings.workMs)
      return await handle(caller)
    } finally {
      inFlight.set(caller.accountId, (inFlight.get(caller.accountId) ?? 1) - 1)
    }
  }

  const jmap = (context: MailContext) =>
    authenticated(context, async (caller) => {
      const type = context.req.header('content-type')
      if (type !== undefined && type.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json')
        return problemResponse(problems.notJson())
      const body = await context.req.text()
      const request = parseRequest(body)
      if (request === 'notRequest') return problemResponse(problems.notRequest(body))
      if (typeof request === 'string') return problemResponse(problems.limit(request))
      await runKeyTasks(world)
      return Response.json(carryOut(world, caller, request, sessionState(caller)))
    })

  app.get(
    '/.well-known/jmap',
    () => new Response(null, { status: 307, headers: { location: '/jmap/session' } }),
  )
  app.get('/jmap/session', (context) => {
    if (!context.req.header('authorization'))
      return Response.json(sessionResource(undefined, world.settings.hostname))
    return authenticated(context, (caller) =>
      Response.json(sessionResource(caller, world.settings.hostname)),
    )
  })
  // In bootstrap mode the server has no address of its own.
  app.get('/.well-known/oauth-authorization-server', () =>
    Response.json({
      issuer: world.installation.mode === 'running' ? `https://${world.settings.hostname}` : '',
    }),
  )
  app.post('/jmap', jmap)
  app.post('/jmap/', jmap)
  app.get('/healthz/live', () => problemResponse(problems.status(200)))
  app.get('/healthz/ready', () => problemResponse(problems.status(200)))
  app.get('/api/account', (context) =>
    authenticated(context, (caller) =>
      Response.json({
        permissions: reportedPermissions(caller.permissions),
        edition: 'oss',
        locale: 'en_US',
      }),
    ),
  )
  app.onError((error) => {
    console.error(error)
    return problemResponse(problems.internalError())
  })
  app.notFound(() => problemResponse(problems.notFound()))
  return app
}
