import { z } from 'zod'
import { launchPattern, redirectPattern } from '../mail/address-patterns.ts'
import { issueText } from '../platform/issue-text.ts'
import { instant, line } from '../platform/text.ts'

export const ssoAppStates = ['active', 'missing', 'unknown', 'pending', 'removing'] as const
/**
 * `active`: the identity provider has it. `missing`: it is gone there. `unknown`: that could not be
 * found out. `pending`: it is being made, or was when its process ended. `removing`: it is being
 * taken away, again and again until the provider agrees.
 */
export const ssoAppState = z.enum(ssoAppStates)
export type SsoAppState = z.infer<typeof ssoAppState>

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Why a text is no redirect address that the provider may send codes to; undefined when it is one.
 * Taken: `https`, `http` on a loopback host (RFC 8252 section 7.3), and private-use schemes with a
 * dot (section 7.1). Compared as a whole by the provider, so neither wildcards nor fragments (RFC
 * 6749 section 3.1.2).
 */
export function redirectUriFault(text: string): string | undefined {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return issueText('wholeAddress')
  if (/[^\x21-\x7e]/.test(text)) return issueText('asciiAddress')
  if (/[\\"<>^`{|}]/.test(text)) return issueText('unencodedCharacter')
  if (text.includes('#')) return issueText('fragment')
  if (text.includes('*')) return issueText('wildcard')
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return issueText('percentSign')
  if (scheme === 'https' || scheme === 'http') return webAddressFault(text, scheme)
  if (!scheme.includes('.')) return issueText('redirectScheme')
  if (!/^[^:]+:\//.test(text)) return issueText('slashAfterScheme')
  return /^[^:]+:\/\/[^/?]*@/.test(text) ? issueText('userInAddress') : undefined
}

function webAddressFault(text: string, scheme: 'http' | 'https'): string | undefined {
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return issueText('webAddress')
  const url = new URL(text)
  if (/^https?:\/\/[^/?]*@/i.test(text)) return issueText('userInAddress')
  if (scheme === 'http' && !loopbackHosts.has(url.hostname)) return issueText('plainHttp')
  return undefined
}

/**
 * A redirect address as `redirectUriFault` takes it, kept byte for byte: the provider compares it
 * so.
 */
export const redirectUri = z
  .string()
  .max(2000)
  .superRefine((value, context) => {
    const fault = redirectUriFault(value)
    if (fault) context.addIssue({ code: 'custom', message: fault })
  })
  .meta({ openapi: { format: 'uri', pattern: redirectPattern } })

const launchUrl = z
  .string()
  .max(2000)
  .superRefine((value, context) => {
    const scheme = /^https?:/i.test(value)
    const fault = scheme ? redirectUriFault(value.replace(/#[^#]*/, '')) : issueText('httpsAddress')
    if (fault) context.addIssue({ code: 'custom', message: fault })
  })
  .meta({ openapi: { format: 'uri', pattern: launchPattern } })

/**
 * An application of the tenant at the identity provider. It does not include the client secret,
 * which is returned once, at creation.
 */
export const SsoAppView = z.object({
  id: z.uuid(),
  name: z.string(),
  /** Name at the provider, the last part of the issuer. */
  slug: z.string(),
  state: ssoAppState,
  clientId: z.string(),
  redirectUris: z.array(z.string()),
  launchUrl: z.string().nullable(),
  issuer: z.string(),
  /** OpenID Connect Discovery 1.0. */
  discoveryUrl: z.string(),
  createdAt: instant,
})
export type SsoAppView = z.infer<typeof SsoAppView>

export const SsoAppList = z.object({ items: z.array(SsoAppView), nextCursor: z.null() })
export type SsoAppList = z.infer<typeof SsoAppList>

/**
 * The response to a creation. `clientSecret` is shown once: it is in no table, log or audit entry.
 */
export const CreatedSsoApp = SsoAppView.extend({ clientSecret: z.string() })
export type CreatedSsoApp = z.infer<typeof CreatedSsoApp>

const slug = z.string().max(200)

/** All of a tenant's applications; the limit `sso_apps` bounds them, so the list has one page. */
export const ListSsoApps = z.strictObject({ slug })
export type ListSsoApps = z.infer<typeof ListSsoApps>

export const CreateSsoApp = z.strictObject({
  slug,
  name: line(80),
  redirectUris: z
    .array(redirectUri)
    .min(1)
    .max(20)
    .superRefine((uris, context) => {
      for (const [index, uri] of uris.entries()) {
        if (uris.indexOf(uri) !== index)
          context.addIssue({
            code: 'custom',
            path: [index],
            message: issueText('namedTwice', { value: uri }),
          })
      }
    })
    .meta({ openapi: { uniqueItems: true } }),
  launchUrl: launchUrl.optional(),
})
export type CreateSsoApp = z.infer<typeof CreateSsoApp>

export const RemoveSsoApp = z.strictObject({
  slug,
  appId: z.uuid(),
})
export type RemoveSsoApp = z.infer<typeof RemoveSsoApp>
