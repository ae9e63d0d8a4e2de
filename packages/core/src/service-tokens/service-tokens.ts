import { z } from 'zod'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { overlapHours } from '../platform/secret-overlap.ts'
import { instant, line } from '../platform/text.ts'
import { serviceScopes, serviceTokenKinds } from './scopes.ts'

/** The longest life of a service token and what forms propose, in days. */
export const serviceTokenDays = { most: 365, proposed: 90 } as const
/** How many days before the end of a token its owner gets a reminder. */
export const reminderDays = [14, 3] as const
/** After so many days, a token that expired or was revoked is deleted. */
export const endedTokenDays = 90
export const mostNetworks = 50

const serviceScope = z.enum(serviceScopes)

export const serviceTokenStates = ['active', 'expired', 'revoked'] as const
export const serviceTokenState = z.enum(serviceTokenStates)
export type ServiceTokenState = z.infer<typeof serviceTokenState>

/** A service token without its secret. */
export const ServiceTokenView = z.object({
  id: z.uuid(),
  kind: z.enum(serviceTokenKinds),
  name: z.string(),
  state: serviceTokenState,
  scopes: z.array(serviceScope),
  /** Addresses and networks that it is accepted from; empty: every address. */
  networks: z.array(z.string()),
  /** Address of the person who created it; null once that person was deleted. */
  createdBy: z.string().nullable(),
  createdAt: instant,
  expiresAt: instant,
  rotatedAt: instant.nullable(),
  /** Until when the secret before the last rotation is accepted; null when it is not. */
  previousEndsAt: instant.nullable(),
  revokedAt: instant.nullable(),
  /** The last use, at most a minute old; null before the first. */
  lastUse: z.object({ at: instant, ip: z.string().nullable(), procedure: z.string() }).nullable(),
})
export type ServiceTokenView = z.infer<typeof ServiceTokenView>

export const ServiceTokenPage = page(ServiceTokenView)
export type ServiceTokenPage = z.infer<typeof ServiceTokenPage>

/** The only response that contains the token. */
export const CreatedServiceToken = ServiceTokenView.extend({
  /** `atr_<id>_<secret><checksum>`. Only a hash of the secret is stored. */
  token: z.string(),
})
export type CreatedServiceToken = z.infer<typeof CreatedServiceToken>

const owner = { slug: z.string().max(200) }
const list = { cursor: cursor.optional(), limit: pageLimit }
const created = {
  name: line(80),
  /** Each of them once; which ones a token can have depends on whom it acts for. */
  scopes: z.array(serviceScope).min(1).max(serviceScopes.length),
  networks: z.array(z.string().max(64)).max(mostNetworks).default([]),
  expiresInDays: z.number().int().min(1).max(serviceTokenDays.most),
}
const rotated = {
  id: z.uuid(),
  overlapHours,
  /** From now on; the end stays as it is when absent. */
  expiresInDays: z.number().int().min(1).max(serviceTokenDays.most).optional(),
}

export const ListServiceTokens = z.strictObject({ ...owner, ...list })
export const ListPlatformTokens = z.strictObject(list)
export type ListServiceTokens = z.infer<typeof ListPlatformTokens>

export const CreateServiceToken = z.strictObject({ ...owner, ...created })
export const CreatePlatformToken = z.strictObject(created)
export type CreateServiceToken = z.infer<typeof CreatePlatformToken>

export const RotateServiceToken = z.strictObject({ ...owner, ...rotated })
export const RotatePlatformToken = z.strictObject(rotated)
export type RotateServiceToken = z.infer<typeof RotatePlatformToken>

export const ServiceTokenPath = z.strictObject({ ...owner, id: z.uuid() })
export const PlatformTokenPath = z.strictObject({ id: z.uuid() })
export type ServiceTokenPath = z.infer<typeof PlatformTokenPath>
