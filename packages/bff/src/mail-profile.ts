import { createHash, randomBytes } from 'node:crypto'
import { MailProfileView, mailProfile } from '@atrium/core/mail/mail-profile'
import { AppError } from '@atrium/core/platform/errors'
import { isSlugShaped } from '@atrium/core/tenants/slugs'
import { insertMailProfileLink, takeMailProfileLink } from '@atrium/db/mail/mail-profile-links'
import type { Database } from '@atrium/db/platform/connect'
import { serverPageTexts } from '@atrium/messages/server-pages'
import { parseObject, readJsonBody } from './json-body.ts'
import type { Logger } from './log.ts'
import { type SigningConfig, signProfile } from './mail-profile-signing.ts'
import { messagePage } from './message-page.ts'
import { readUser } from './profile.ts'
import type { ApiProxy } from './proxy.ts'
import type { AppContext } from './request.ts'
import type { Session } from './sessions.ts'
import type { MailProfileLinkView, MailSettingsView } from './views.ts'

export interface MailProfileParts {
  publicUrl: string
  database: Database
  proxy: ApiProxy
  log: Logger
  now: () => Date
  /** Where devices reach the mail server; undefined where this installation has none. */
  mailHost: string | undefined
  signing: SigningConfig | undefined
}

export interface MailProfiles {
  /** Settings to type into a mail program that does not support profiles. */
  settings(c: AppContext): Promise<Response>
  /** The profile of the session's own mailbox in `?tenant=`. */
  download(c: AppContext): Promise<Response>
  /** Creates a link for a device that is not signed in. */
  createLink(c: AppContext): Promise<Response>
  /** Returns the profile behind a link, once. */
  redeem(c: AppContext, token: string): Promise<Response>
}

export const linkSeconds = 15 * 60

/** Paths below this one hold a token: they go into no log and no referrer. */
export const linkPath = '/mail-profile/'

/**
 * Apple configuration profiles for the mailboxes of people who are signed in, and one-time links to
 * them for their phones.
 */
export function createMailProfiles(parts: MailProfileParts): MailProfiles {
  const { publicUrl, database, proxy, log, now, signing } = parts

  /** The mailbox, or the API's own rejection. */
  async function readMailbox(
    c: AppContext,
    session: Session,
    tenant: unknown,
  ): Promise<{ mailbox: MailProfileView } | { rejection: Response }> {
    const chosen = await chooseTenant(c, session, tenant)
    if ('rejection' in chosen) return chosen
    const response = await proxy.forward(c, session, {
      method: 'GET',
      target: `/tenants/${chosen.slug}/mail-profile`,
    })
    if (response.status !== 200) return { rejection: response }
    const parsed = MailProfileView.safeParse(await response.json().catch(() => undefined))
    if (!parsed.success)
      throw new AppError('upstream_failed', 'The platform answered in an unexpected way.', {
        cause: parsed.error,
      })
    return { mailbox: parsed.data }
  }

  /** A person with a single tenant need not name it. */
  async function chooseTenant(
    c: AppContext,
    session: Session,
    tenant: unknown,
  ): Promise<{ slug: string } | { rejection: Response }> {
    if (tenant !== undefined) {
      if (typeof tenant === 'string' && isSlugShaped(tenant)) return { slug: tenant }
      throw new AppError('invalid_input', undefined, {
        issues: [{ path: 'tenant', message: 'This is not the name of a tenant.' }],
      })
    }
    const read = await readUser(c, proxy, session)
    if ('rejection' in read) return read
    const [only, ...others] = read.user.tenants
    if (!only)
      throw new AppError(
        'not_found',
        'You are a member of no tenant, so there is nothing to set up on a device.',
      )
    if (others.length === 0) return { slug: only.slug }
    throw new AppError('invalid_input', undefined, {
      issues: [
        {
          path: 'tenant',
          message: 'You are a member of several tenants. Name the one whose mailbox is meant.',
        },
      ],
    })
  }

  function requireMailHost(): string {
    if (parts.mailHost === undefined)
      throw new AppError(
        'integration_off',
        'This installation has no mail server that devices can reach.',
      )
    return parts.mailHost
  }

  async function respond(mailbox: MailProfileView): Promise<Response> {
    const profile = mailProfile({ ...mailbox, mailHost: requireMailHost(), uuid: uuidOf })
    const body = signing && (await signed(profile, signing))
    return new Response(body ?? profile, {
      headers: {
        'content-type': 'application/x-apple-aspen-config',
        'content-disposition': 'attachment; filename="mail.mobileconfig"',
        'cache-control': 'no-store',
      },
    })
  }

  /**
   * A profile that cannot be signed is better than none (seed 4.10): the device says that it is
   * unsigned, and sets up the same.
   */
  async function signed(
    profile: string,
    config: SigningConfig,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      return await signProfile(profile, config, now())
    } catch (error) {
      // The text only: an error about a key may hold parts of it.
      log.error({ reason: reasonOf(error) }, 'failed to sign mail profile; serving it unsigned')
      return undefined
    }
  }

  return {
    async settings(c) {
      await proxy.requireSession(c)
      return c.json({ host: requireMailHost() } satisfies MailSettingsView, 200, {
        'cache-control': 'no-store',
      })
    },

    async download(c) {
      const session = await proxy.requireSession(c)
      requireMailHost()
      const read = await readMailbox(c, session, c.req.query('tenant'))
      return 'rejection' in read ? read.rejection : respond(read.mailbox)
    },

    async createLink(c) {
      // Before the body: no body is read without a session.
      const session = await proxy.requireSession(c)
      requireMailHost()
      const body = parseObject(await readJsonBody(c))
      const read = await readMailbox(c, session, body.tenant ?? c.req.query('tenant'))
      if ('rejection' in read) return read.rejection
      const token = randomBytes(32).toString('base64url')
      await insertMailProfileLink(database.db, sha256(token), read.mailbox, linkSeconds)
      const expiresAt = new Date(now().getTime() + linkSeconds * 1000).toISOString()
      const view: MailProfileLinkView = { url: `${publicUrl}${linkPath}${token}`, expiresAt }
      return c.json(view, 201, { 'cache-control': 'no-store' })
    },

    async redeem(c, token) {
      // A look at the headers must not spend the link.
      if (c.req.method === 'HEAD') throw new AppError('method_not_allowed')
      const link = /^[A-Za-z0-9_-]{43}$/.test(token)
        ? await takeMailProfileLink(database.db, sha256(token))
        : undefined
      if (link) return respond(link)
      const text = serverPageTexts(c.get('language'))
      return messagePage(c, 404, text('deviceLink.title'), text('deviceLink.hint'))
    },
  }
}

const namespace = Buffer.from('6b1f6f0c9a5e4d0f8a35c1d6a1c0f2e7', 'hex')

/** A name-based UUID (RFC 9562 section 5.5) in a namespace of our own. */
function uuidOf(text: string): string {
  const hash = createHash('sha1').update(namespace).update(text).digest().subarray(0, 16)
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6)
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8)
  return hash
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    .toUpperCase()
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : 'unknown'
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
