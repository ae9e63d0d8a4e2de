import type { SubscriptionSummary } from '@atrium/core/billing/billing'
import type { UserView } from '@atrium/core/users/users'
import type { WebApp } from '@atrium/db/users/web-sessions'

/** `GET /api/session`. Not being signed in is a result, not an error. */
export interface SessionView {
  signedIn: boolean
  app: WebApp
  email: string | null
  name: string | null
  /** The signed-in person as the identity provider names them, to detect a change of person. */
  subject: string | null
  /** When they last proved who they are; null where the identity provider does not tell. */
  signedInAt: string | null
  /** They proved a second factor in this sign-in. */
  secondFactor: boolean
}

/**
 * `GET /api/me`: the stored user (the API's `GET /users/me`) with what the token and the other
 * parts of the platform add.
 */
export type MeView = UserView & {
  /** Names of the identity groups in the token, without duplicates. */
  groups: readonly string[]
  /** Of the person's first workplace; null without one, and for operators. */
  subscription: SubscriptionSummary | null
  /**
   * True for staff of a partner that is not terminated: only they get the partner area. `partner`
   * says with which level and status.
   */
  partnerMode: boolean
}

/** `GET /api/api-address`: where programs reach the API; null when this server was not told. */
export interface ApiAddressView {
  url: string | null
}

/** `GET /api/mail-settings`: where mail programs and devices reach the mail server. */
export interface MailSettingsView {
  host: string
}

/** `POST /api/mail-profile/link`: a link that works once and until `expiresAt`. */
export interface MailProfileLinkView {
  url: string
  expiresAt: string
}

/** `GET /api/verify-token`: what the session's access token says, for checking an installation. */
export interface TokenView {
  iss: string | null
  aud: readonly string[]
  sub: string | null
  groups: readonly string[]
}
