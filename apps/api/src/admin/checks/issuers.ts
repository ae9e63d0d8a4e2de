import type { Database } from '@atrium/db/platform/connect'
import { readLargestGroupClaim } from '@atrium/db/system/account-facts'
import {
  error,
  ok,
  type SetupFinding,
  warning,
} from '@atrium/integrations/identity/authentik-setup-findings'
import { z } from 'zod'
import type { Config } from '../../platform/config.ts'
import { clockDifferenceFinding } from './database.ts'

const Discovery = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  scopes_supported: z.array(z.string()).optional(),
  claims_supported: z.array(z.string()).optional(),
})
const Keys = z.object({ keys: z.array(z.unknown()) })

/** What the portals ask for, and what the API reads of a token. */
const neededScopes = ['openid', 'email', 'profile', 'offline_access']
const neededClaims = ['sub', 'email', 'name', 'groups']
const deadlineMs = 10_000

/** Each issuer as the API and the portals see it: discovery, keys, scopes and claims. */
export async function checkIssuers(config: Config): Promise<SetupFinding[]> {
  const issuers = [...config.tokens.subjectPrefixes]
  const found = await Promise.all(
    issuers.map(([issuer, prefix]) => checkIssuer(issuer, prefix === '')),
  )
  return found.flat()
}

async function checkIssuer(issuer: string, managed: boolean): Promise<SetupFinding[]> {
  const need = `issuer ${issuer}`
  try {
    const requestedAt = Date.now()
    const { response, json } = await getJson(`${issuer}.well-known/openid-configuration`)
    const receivedAt = Date.now()
    const discovery = Discovery.parse(json)
    if (discovery.issuer !== issuer)
      return [error(need, `calls itself ${discovery.issuer}. Write that into IDP_ISSUER.`)]
    const { keys } = Keys.parse((await getJson(discovery.jwks_uri)).json)
    const lacking = (needed: readonly string[], listed: readonly string[] | undefined) =>
      listed ? needed.filter((one) => !listed.includes(one)) : []
    const scopes = lacking(neededScopes, discovery.scopes_supported)
    // Groups of other providers are not ours and are ignored.
    const claims = managed ? lacking(neededClaims, discovery.claims_supported) : []
    const faults = [
      ...(keys.length === 0 ? ['has no signing key. Set one at its provider.'] : []),
      ...(scopes.length > 0 ? [`lacks the scope ${scopes.join(', ')}. Attach its mapping.`] : []),
    ]
    // authentik lists what the mappings give for nobody, so one that needs a person is not there.
    const warnings = claims.map((claim) =>
      warning(`${need}: claim ${claim}`, 'is not announced. Check that its mapping is attached.'),
    )
    const date = Date.parse(response.headers.get('date') ?? '')
    return [
      ...(faults.length === 0 ? [ok(need)] : faults.map((fault) => error(need, fault))),
      ...warnings,
      ...(Number.isNaN(date)
        ? []
        : [
            clockDifferenceFinding(
              `clock, beside that of ${issuer}`,
              dateDifferenceMs(date, requestedAt, receivedAt),
            ),
          ]),
    ]
  } catch (cause) {
    return [error(need, `${reasonOf(cause)}. Tokens of this issuer cannot be verified.`)]
  }
}

/**
 * By how much our clock is ahead of the server that sent this `Date` header, which it wrote between
 * the request and the response, in whole seconds. 0 while both clocks may agree.
 */
export function dateDifferenceMs(date: number, requestedAt: number, receivedAt: number): number {
  if (date > receivedAt) return receivedAt - date
  return Math.max(0, requestedAt - (date + 999))
}

async function getJson(address: string): Promise<{ response: Response; json: unknown }> {
  const response = await fetch(address, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(deadlineMs),
  })
  if (!response.ok) throw new Error(`returns ${response.status} at ${address}`)
  return { response, json: await response.json() }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof z.ZodError || cause instanceof SyntaxError)
    return 'has no usable discovery document or keys'
  if (cause instanceof DOMException) return `does not answer within ${deadlineMs / 1000} s`
  if (!(cause instanceof Error)) return 'does not answer'
  // fetch names only itself: the reason is in the cause.
  const tried = cause.cause instanceof AggregateError ? cause.cause.errors[0] : cause.cause
  const code = tried instanceof Error && 'code' in tried ? tried.code : undefined
  return code === undefined ? cause.message : `does not answer (${String(code)})`
}

/** Above it, proxies with default limits reject requests that carry a token. */
const usualHeaderBytes = 8_000
/** Header, signature and the other claims of a token. */
const tokenBaseBytes = 1_600

/** The largest token by the memberships that are stored: it names every group of its person. */
export async function checkTokenSize({ db }: Database): Promise<SetupFinding[]> {
  const { groups, characters } = await readLargestGroupClaim(db)
  // Quotes and comma of each name; a token is base64.
  const bytes = tokenBaseBytes + Math.ceil(((characters + groups * 3) * 4) / 3)
  const need = `size of tokens (about ${bytes} bytes with ${groups} groups)`
  if (bytes <= usualHeaderBytes) return [ok(need)]
  return [warning(need, 'exceeds the usual limit of proxies. See "Large tokens" in operate.md.')]
}
