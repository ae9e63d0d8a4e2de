import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import { errorBody, errorResponse, GraphError } from './answers.ts'
import { authenticate } from './authentication.ts'
import type { FilesBindings } from './bindings.ts'
import { driveRoutes } from './drives.ts'
import { groupRoutes } from './groups.ts'
import { memberRoutes } from './members.ts'
import { roleRoutes } from './role-routes.ts'
import { userRoutes } from './users.ts'
import type { FilesWorld } from './world.ts'

export interface AccessSettings {
  /**
   * Whether users may sign in with their own password (a development setting of the real server).
   */
  readonly passwords: boolean
  /** Runs when a user was recognised: a first sign-in creates the personal drive. */
  readonly signedIn: (userId: string) => void
}

/** libre-graph as OpenCloud serves it, under `/graph`. */
export function createFilesApp(world: FilesWorld, access: AccessSettings): Hono<FilesBindings> {
  const app = new Hono<FilesBindings>()
  const graph = new Hono<FilesBindings>()

  graph.use(async (context, next) => {
    const requestId = context.req.header('x-request-id') ?? randomUUID()
    context.header('x-request-id', requestId)
    const caller = authenticate(
      world.store,
      context.req.header('authorization'),
      world.now(),
      access.passwords,
    )
    if (!caller) {
      const realm = new URL(world.origin() || 'http://localhost').host
      context.header('www-authenticate', `Bearer realm="${realm}", charset="UTF-8"`)
      if (access.passwords)
        context.header('www-authenticate', `Basic realm="${realm}", charset="UTF-8"`, {
          append: true,
        })
      return context.body(null, 401)
    }
    access.signedIn(caller.id)
    context.set('visit', { ...world, caller })
    return next()
  })
  driveRoutes(graph)
  memberRoutes(graph)
  userRoutes(graph)
  groupRoutes(graph)
  roleRoutes(graph)
  graph.onError((error, context) => {
    const requestId = context.res.headers.get('x-request-id') ?? randomUUID()
    if (error instanceof GraphError) return errorResponse(error, world.now(), requestId)
    console.error(error)
    return new Response(errorBody('generalException', 'internal error', world.now(), requestId), {
      status: 500,
      headers: { 'content-type': 'application/json' },
    })
  })

  app.get('/status.php', (context) =>
    context.json({
      installed: true,
      maintenance: false,
      needsDbUpgrade: false,
      version: '10.11.0.0',
      versionstring: '10.11.0',
      edition: 'Community',
      productname: 'OpenCloud',
      product: 'OpenCloud',
      productversion: '7.2.4',
    }),
  )
  app.route('/graph', graph)
  app.notFound(
    () =>
      new Response('404 page not found\n', {
        status: 404,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      }),
  )
  return app
}
