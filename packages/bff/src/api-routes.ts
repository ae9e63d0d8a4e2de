import { AppError } from '@atrium/core/platform/errors'
import { isSlugShaped } from '@atrium/core/tenants/slugs'
import { isPartnerStaff } from '@atrium/core/users/users'
import type { WebApp } from '@atrium/db/users/web-sessions'
import { Hono } from 'hono'
import { groupsOf, nameOf, readClaims, secondFactorOf, signedInAtOf } from './claims.ts'
import type { AppCookies } from './cookies.ts'
import { parseObject, readJsonBody } from './json-body.ts'
import type { MailProfiles } from './mail-profile.ts'
import { readSubscription, readUser } from './profile.ts'
import type { ApiProxy } from './proxy.ts'
import { type AppContext, type AppEnv, rawQuery } from './request.ts'
import type { Session, Sessions } from './sessions.ts'
import type { ApiAddressView, MeView, SessionView, TokenView } from './views.ts'

export interface ApiParts {
  app: WebApp
  cookies: AppCookies
  sessions: Sessions
  proxy: ApiProxy
  staffGroups: readonly string[]
  tenantGroupPrefix: string
  /** The portal's; operators have no mailbox of a tenant. */
  mailProfiles: MailProfiles | undefined
  /** Where programs reach the API. */
  apiPublicUrl: string | undefined
}

/**
 * `/api/*`: routes of the app's own server (docs/reference/contract.md, portal and operator
 * servers). All but the first need a session.
 */
export function apiRoutes(parts: ApiParts): Hono<AppEnv> {
  const { app, cookies, sessions, proxy, mailProfiles } = parts
  const routes = new Hono<AppEnv>()
  // Checks the session before the body and before the name in the address: without a session, no
  // one learns which names are valid.
  const post = async (c: AppContext, target: () => string) => {
    const session = await proxy.requireSession(c)
    return proxy.forward(c, session, {
      method: 'POST',
      target: target(),
      body: await readJsonBody(c),
    })
  }

  const read = async (c: AppContext, target: () => string) => {
    const session = await proxy.requireSession(c)
    return proxy.forward(c, session, { method: 'GET', target: target() + rawQuery(c) })
  }
  /** What the address names goes into another address only when it can be such a name. */
  const named = (c: AppContext, parameter: string) => {
    const value = c.req.param(parameter) ?? ''
    if (!isSlugShaped(value)) throw new AppError('not_found')
    return value
  }

  routes.get('/session', async (c) => {
    const session = await sessions.find(cookies.readSession(c))
    return response(c, {
      signedIn: session !== undefined,
      app,
      email: session?.email ?? null,
      name: session ? nameOf(session.tokens) : null,
      subject: session?.subject ?? null,
      signedInAt: session ? signedInAtOf(session.tokens) : null,
      secondFactor: session !== undefined && secondFactorOf(session.tokens),
    } satisfies SessionView)
  })

  routes.get('/me', async (c) => {
    const session = await proxy.requireSession(c)
    const read = await readUser(c, proxy, session)
    if ('rejection' in read) return read.rejection
    const { user } = read
    const groups = groupsOf(readClaims(session.tokens.access))
    const subscription = app === 'portal' ? await readSubscription(c, proxy, session, user) : null
    return response(c, {
      ...user,
      groups,
      subscription,
      partnerMode: isPartnerStaff(user),
    } satisfies MeView)
  })

  routes.get('/verify-token', async (c) => {
    const session = await proxy.requireSession(c)
    const claims = readClaims(session.tokens.access)
    return response(c, {
      iss: claims.iss ?? null,
      aud: claims.aud === undefined ? [] : [claims.aud].flat(),
      sub: claims.sub ?? null,
      groups: groupsOf(claims),
    } satisfies TokenView)
  })

  routes.post('/tenants', (c) => post(c, () => '/tenants'))

  routes.post('/tenants/:slug/reconcile', (c) =>
    post(c, () => `/tenants/${named(c, 'slug')}/reconcile`),
  )

  routes.post('/flags/evaluate', async (c) => {
    const session = await proxy.requireSession(c)
    const body = withTenant(parseObject(await readJsonBody(c)), session, parts)
    return proxy.forward(c, session, { method: 'POST', target: '/flags/evaluate', body })
  })

  if (app === 'portal')
    routes.get('/api-address', async (c) => {
      await proxy.requireSession(c)
      return response(c, { url: parts.apiPublicUrl ?? null } satisfies ApiAddressView)
    })

  if (mailProfiles) {
    routes.get('/mail-settings', (c) => mailProfiles.settings(c))
    routes.get('/mail-profile', (c) => mailProfiles.download(c))
    routes.post('/mail-profile/link', (c) => mailProfiles.createLink(c))
  }

  // A member of the tenant, or an operator.
  routes.get('/tenants/:slug/documents/:id', (c) =>
    read(c, () => `/tenants/${named(c, 'slug')}/documents/${named(c, 'id')}`),
  )

  if (app === 'portal') {
    routes.get('/partner/:slug/ledger', (c) =>
      read(c, () => `/partners/${named(c, 'slug')}/ledger/export`),
    )
    routes.get('/partner/:slug/payouts/:id/statement', (c) =>
      read(c, () => `/partners/${named(c, 'slug')}/payouts/${named(c, 'id')}/statement`),
    )
  }

  if (app === 'operator') {
    routes.get('/payouts/:id/statement', (c) =>
      read(c, () => `/billing/payouts/${named(c, 'id')}/statement`),
    )
    routes.get('/invoices/export', (c) => read(c, () => '/billing/invoices/export'))
    routes.get('/bookkeeping/:month/export', (c) =>
      read(c, () => `/billing/bookkeeping/${named(c, 'month')}/export`),
    )
    routes.get('/partners/:slug/ledger', (c) =>
      read(c, () => `/partners/${named(c, 'slug')}/ledger/export`),
    )
    routes.get('/audit', (c) => read(c, () => '/audit'))
    routes.get('/audit/export', (c) => read(c, () => '/audit/export'))
    routes.post('/users/invite', (c) => post(c, () => '/users/invite'))
  }
  return routes
}

/**
 * The body of a flag evaluation. Without a tenant in it, the first group of the token that can be a
 * tenant's decides: none that is for administrators or staff, and only what begins with the prefix
 * of tenants' groups and goes on with a slug.
 */
function withTenant(
  body: Record<string, unknown>,
  session: Session,
  { staffGroups, tenantGroupPrefix }: Pick<ApiParts, 'staffGroups' | 'tenantGroupPrefix'>,
): Uint8Array {
  const slugs = groupsOf(readClaims(session.tokens.access))
    .filter((group) => !staffGroups.includes(group) && group.startsWith(tenantGroupPrefix))
    .map((group) => group.slice(tenantGroupPrefix.length))
  const tenantSlug = body.tenantSlug ?? slugs.find(isSlugShaped)
  return Buffer.from(JSON.stringify(tenantSlug === undefined ? body : { ...body, tenantSlug }))
}

function response(
  c: AppContext,
  body: ApiAddressView | SessionView | MeView | TokenView,
): Response {
  return c.json(body, 200, { 'cache-control': 'no-store' })
}
