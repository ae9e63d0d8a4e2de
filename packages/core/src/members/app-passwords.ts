import { z } from 'zod'
import { instant, line } from '../platform/text.ts'

const slug = z.string().max(200)

/** How the app passwords that scheduling makes for itself are named in the mail server. */
export const schedulingPasswordName = 'Atrium scheduling'

/** A further password of a mailbox, for one mail program. Never the secret itself. */
export const AppPassword = z.object({
  id: z.string(),
  name: z.string(),
  /** Made by scheduling, which reads the person's calendar with it. */
  scheduling: z.boolean(),
  createdAt: instant.nullable(),
})
export type AppPassword = z.infer<typeof AppPassword>

export const AppPasswords = z.object({
  /** Whose password each of them takes the place of; null without a mailbox. */
  mailboxAddress: z.string().nullable(),
  items: z.array(AppPassword),
})
export type AppPasswords = z.infer<typeof AppPasswords>

export const CreateAppPassword = z.strictObject({ slug, name: line(60) })
export type CreateAppPassword = z.infer<typeof CreateAppPassword>

/** `secret` is shown once and kept nowhere. */
export const CreatedAppPassword = z.object({
  id: z.string(),
  name: z.string(),
  mailboxAddress: z.string(),
  secret: z.string(),
})
export type CreatedAppPassword = z.infer<typeof CreatedAppPassword>

/** An id is the mail server's. */
export const RemoveAppPassword = z.strictObject({
  slug,
  userId: z.uuid(),
  appPasswordId: z
    .string()
    .regex(/^[a-z0-9]{1,40}$/)
    .meta({ openapi: { pattern: '^[a-z0-9]{1,40}$' } }),
})
export type RemoveAppPassword = z.infer<typeof RemoveAppPassword>
