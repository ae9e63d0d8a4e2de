import { z } from 'zod'
import { originPattern } from '../mail/address-patterns.ts'
import { issueText, says } from '../platform/issue-text.ts'
import {
  emailAddress,
  hasUnsafeCharacters,
  instant,
  line,
  onOneLine,
  paragraphs,
} from '../platform/text.ts'
import { credentialSource, schedulingLimits, timeZoneName } from './scheduling.ts'

/**
 * Key of a host in the addresses of the booking page. Reserved words are allowed: the tenant's slug
 * precedes it.
 */
export const hostSlug = z
  .string()
  .max(63)
  .regex(/^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/, says('slug'))
  .refine((value) => !value.startsWith('xn--'), says('reservedName'))

const perPeriod = z.number().int().min(1).max(schedulingLimits.bookingsPerPeriod).nullable()

/**
 * How many bookings of all event types may start in a local day, ISO week and calendar month; null
 * for any number.
 */
export const HostLimits = z.strictObject({
  day: perPeriod.default(null),
  week: perPeriod.default(null),
  month: perPeriod.default(null),
})
export type HostLimits = z.infer<typeof HostLimits>

/** The visible part of a stored credential; never the secret. */
export const CredentialView = z.object({
  present: z.boolean(),
  source: credentialSource.nullable(),
  /** When the mail server was last asked with it. */
  checkedAt: instant.nullable(),
  /** What the server said then; null before the first time. */
  ok: z.boolean().nullable(),
  /** A sentence for people; null when nothing is wrong. */
  error: z.string().nullable(),
})
export type CredentialView = z.infer<typeof CredentialView>

export const NoCredential: CredentialView = {
  present: false,
  source: null,
  checkedAt: null,
  ok: null,
  error: null,
}

/** A host as the tenant's own people see it. */
export const HostView = z.object({
  id: z.uuid(),
  userId: z.uuid(),
  slug: z.string(),
  name: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  avatarUrl: z.string().nullable(),
  zone: z.string(),
  mailAddress: z.string(),
  /** Shown in the tenant's list of hosts. The host's own page exists either way. */
  listed: z.boolean(),
  /** Whether the host may be booked: switched on, and the person is an active member. */
  active: z.boolean(),
  /** The switch alone. */
  enabled: z.boolean(),
  memberStatus: z.enum(['active', 'suspended', 'deactivated', 'removed']),
  limits: z.object({
    day: z.number().int().nullable(),
    week: z.number().int().nullable(),
    month: z.number().int().nullable(),
  }),
  credential: CredentialView,
  /**
   * Whether the platform can make an app password by itself: the mailbox is one of this platform's.
   */
  mintable: z.boolean(),
  /** Whether the caller may change this host. */
  mayEdit: z.boolean(),
  /** Pending and confirmed bookings that are not over. */
  comingBookings: z.number().int(),
  /** Null while the installation has no booking pages. */
  publicUrl: z.string().nullable(),
  version: z.number().int(),
  createdAt: instant,
  updatedAt: instant,
})
export type HostView = z.infer<typeof HostView>

/** Hosts of a tenant by name; there are as many as members at most, so they come at once. */
export const HostPage = z.object({ items: z.array(HostView), nextCursor: z.null() })
export type HostPage = z.infer<typeof HostPage>

const slug = z.string().max(200)
const hostId = z.uuid()

export const ListHosts = z.strictObject({ slug })
export type ListHosts = z.infer<typeof ListHosts>

export const HostPath = z.strictObject({ slug, hostId })
export type HostPath = z.infer<typeof HostPath>

const webAddress = z
  .url({ protocol: /^https$/, ...says('httpsAddress') })
  .max(2_000)
  .refine((value) => !/[\s"'<>\\]/.test(value), says('httpsAddress'))

const fields = {
  hostSlug,
  name: line(100),
  title: line(100).nullable(),
  description: paragraphs(2_000).nullable(),
  avatarUrl: webAddress.nullable(),
  zone: timeZoneName,
  mailAddress: emailAddress,
  listed: z.boolean(),
  limits: HostLimits,
}

/**
 * `hostSlug` is made from the name where it is absent, `name` is the member's own, `mailAddress`
 * the member's mailbox. With the host comes a standard schedule: Monday to Friday, 09:00 to 17:00
 * in `zone`.
 */
export const CreateHost = z.strictObject({
  slug,
  userId: z.uuid(),
  hostSlug: hostSlug.optional(),
  name: fields.name.optional(),
  title: fields.title.optional(),
  description: fields.description.optional(),
  avatarUrl: fields.avatarUrl.optional(),
  zone: fields.zone,
  mailAddress: fields.mailAddress.optional(),
  listed: fields.listed.optional(),
  limits: fields.limits.optional(),
})
export type CreateHost = z.infer<typeof CreateHost>

/**
 * Absent fields stay, null clears. `version` is the version read before, so that no other change is
 * lost.
 */
export const UpdateHost = z
  .strictObject({
    slug,
    hostId,
    version: z.number().int().min(1, says('versionMissing')),
    hostSlug: hostSlug.optional(),
    name: fields.name.optional(),
    title: fields.title.optional(),
    description: fields.description.optional(),
    avatarUrl: fields.avatarUrl.optional(),
    zone: fields.zone.optional(),
    mailAddress: fields.mailAddress.optional(),
    listed: fields.listed.optional(),
    enabled: z.boolean().optional(),
    limits: fields.limits.optional(),
  })
  .refine(
    ({ slug: _, hostId: __, version: ___, ...provided }) =>
      Object.values(provided).some((value) => value !== undefined),
    says('nothingToChange'),
  )
  .meta({ openapi: { minProperties: 1 } })
export type UpdateHost = z.infer<typeof UpdateHost>

/** Comes as text in a query. */
const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(),
)

/** Without `cancelBookings` a host with bookings to come is kept. */
export const RemoveHost = z.strictObject({ slug, hostId, cancelBookings: flag.optional() })
export type RemoveHost = z.infer<typeof RemoveHost>

const entered = {
  username: line(254),
  secret: z
    .string()
    .min(1)
    .max(1_000)
    .refine((value) => !hasUnsafeCharacters(value), says('hiddenCharacters'))
    .meta({ openapi: { pattern: onOneLine(0) } }),
}

/** What a person gives to connect a mailbox by hand. */
export const EnteredCredential = z.strictObject(entered)
export type EnteredCredential = z.infer<typeof EnteredCredential>

/**
 * `mint`: the platform makes an app password at the mail server by itself. `enter`: the person
 * gives one.
 */
export const SetMailCredential = z
  .strictObject({
    slug,
    hostId,
    mode: z.enum(['mint', 'enter']),
    username: entered.username.optional(),
    secret: entered.secret.optional(),
  })
  .superRefine((input, context) => {
    for (const path of ['username', 'secret'] as const) {
      if (input.mode === 'enter' && input[path] === undefined)
        context.addIssue({ code: 'custom', path: [path], message: issueText('empty') })
      if (input.mode === 'mint' && input[path] !== undefined)
        context.addIssue({
          code: 'custom',
          path: [path],
          message: issueText('enteredPasswordOnly'),
        })
    }
  })
  .meta({
    openapi: {
      anyOf: [{ properties: { mode: { const: 'mint' } } }, { required: ['username', 'secret'] }],
    },
  })
export type SetMailCredential = z.infer<typeof SetMailCredential>

/** Instants; `to` at most 62 days after `from`. */
export const HostFreeBusy = z.strictObject({ slug, hostId, from: instant, to: instant })
export type HostFreeBusy = z.infer<typeof HostFreeBusy>

/**
 * When the host is not free, joined and ascending, cut to the range. Without titles: who may see
 * the team's hours may not read its mail.
 */
export const FreeBusyView = z.object({
  from: instant,
  to: instant,
  zone: z.string(),
  busy: z.array(z.object({ start: instant, end: instant })),
})
export type FreeBusyView = z.infer<typeof FreeBusyView>

/**
 * An origin whose pages may show the booking page in a frame: `https://example.com`, without a
 * path.
 */
export const embedOrigin = z
  .string()
  .trim()
  .max(300)
  .transform((value, context) => {
    const origin = originOf(value)
    if (origin !== undefined) return origin
    context.addIssue({
      code: 'custom',
      message: issueText('origin'),
    })
    return z.NEVER
  })
  .meta({ openapi: { format: 'uri', pattern: originPattern } })

function originOf(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url) return undefined
  if ([url.username, url.password, url.search, url.hash].some((part) => part !== ''))
    return undefined
  if (url.pathname !== '/' && url.pathname !== '') return undefined
  const local =
    url.protocol === 'http:' && (url.hostname === 'localhost' || url.hostname === '127.0.0.1')
  return url.protocol === 'https:' || local ? url.origin : undefined
}

export const BookingPageView = z.object({
  enabled: z.boolean(),
  headline: z.string().nullable(),
  intro: z.string().nullable(),
  embedOrigins: z.array(z.string()),
  /** Null while the installation has no booking pages. */
  publicUrl: z.string().nullable(),
  version: z.number().int(),
})
export type BookingPageView = z.infer<typeof BookingPageView>

export const BookingPagePath = z.strictObject({ slug })
export type BookingPagePath = z.infer<typeof BookingPagePath>

/** The words of the booking page and who may show it; what its form checks. */
export const BookingPageWords = z.strictObject({
  headline: line(120).nullable().optional(),
  intro: paragraphs(2_000).nullable().optional(),
  embedOrigins: z.array(embedOrigin).max(20).optional(),
})

/** What is absent stays, null clears. */
export const UpdateBookingPage = z
  .strictObject({
    slug,
    version: z.number().int().min(0, says('versionMissing')),
    enabled: z.boolean().optional(),
    ...BookingPageWords.shape,
  })
  .refine(
    ({ slug: _, version: __, ...provided }) =>
      Object.values(provided).some((value) => value !== undefined),
    says('nothingToChange'),
  )
  .meta({ openapi: { minProperties: 1 } })
export type UpdateBookingPage = z.infer<typeof UpdateBookingPage>
