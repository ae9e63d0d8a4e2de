import type { Database } from '@atrium/db/platform/connect'
import { sql } from 'kysely'

/** A secret that was used or made in a run, and what it was. */
export interface Secret {
  what: string
  text: string
}

type Environment = Readonly<Record<string, string | undefined>>

const secretNames = [
  'IDP_API_TOKEN',
  'MAIL_API_KEY',
  'FILES_API_TOKEN',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'BOOKING_APP_SECRET',
  'ENCRYPTION_KEYS',
]
/** Shorter ones occur in other words by chance. */
const leastLength = 12

/** The secrets that a process of the service is started with; of each keyring entry the key. */
export function secretsOfEnvironment(env: Environment): Secret[] {
  return secretNames.flatMap((name) =>
    (env[name] ?? '')
      .split(',')
      .map((entry) => (name === 'ENCRYPTION_KEYS' ? entry.slice(entry.indexOf(':') + 1) : entry))
      .filter((text) => text.length >= leastLength)
      .map((text) => ({ what: `${name} of the environment`, text })),
  )
}

/** The token that a request is sent with, if it is one; a placeholder may be in a response too. */
export const secretsOfRequest = (token: string | undefined): Secret[] =>
  token !== undefined && signedToken.test(token)
    ? [{ what: 'the token of the request', text: token }]
    : []

/**
 * Whether a text holds a secret: as it is, as a part of an address, or in base64, as Basic
 * credentials carry it.
 */
export function shows(text: string, secret: Secret): boolean {
  const forms = [
    secret.text,
    encodeURIComponent(secret.text),
    Buffer.from(secret.text).toString('base64').replace(/=+$/, ''),
  ]
  return forms.some((form) => text.includes(form))
}

/** A token with its signature (RFC 7515, section 3.1). */
const signedToken = /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{16,}/
/** Texts that must never be written down: signed tokens and private keys (RFC 7468). */
const neverWritten = [signedToken, /-----BEGIN [A-Z ]*PRIVATE KEY-----/]

/** Where a log shows a secret: what it is, with the line. */
export function shownInLog(lines: readonly string[], secrets: readonly Secret[]): string[] {
  const log = lines.join('\n')
  const known = secrets.filter((secret) => shows(log, secret)).map(({ what }) => what)
  const marks = neverWritten.flatMap((mark) => lines.find((line) => mark.test(line)) ?? [])
  return [...known, ...marks].map((found) => `log: ${found}`)
}

/** Audit entries that show a secret. */
export async function shownInAudit(
  { db }: Pick<Database, 'db'>,
  secrets: readonly Secret[],
): Promise<string[]> {
  const { rows } = await sql<{ action: string; what: string }>`
    select distinct e.action, s.what from audit_events e
    join unnest(${secrets.map(({ what }) => what)}::text[], ${secrets.map(({ text }) => text)}::text[]) as s(what, text)
      on strpos(e::text, s.text) > 0`.execute(db)
  return rows.map(({ action, what }) => `audit entry ${action}: ${what}`)
}
