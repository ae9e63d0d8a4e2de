import { ProblemError, problemFromBody } from '@atrium/ui/problem'
import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'

/** What the portal's own server says about the mail server that people reach from outside. */
const MailSettings = z.object({ host: z.string() })
export type MailSettings = z.infer<typeof MailSettings>

/** A one-time address of the profile for a phone, which has no session. */
const ProfileLink = z.object({ url: z.url(), expiresAt: z.iso.datetime({ offset: true }) })
export type ProfileLink = z.infer<typeof ProfileLink>

/**
 * Where the browser gets the Apple configuration profile of the signed-in person; opened as a page,
 * so that iOS offers to install it.
 */
export function profileAddress(slug: string): string {
  return `/api/mail-profile?${new URLSearchParams({ tenant: slug })}`
}

export const mailSettingsQuery = queryOptions({
  queryKey: ['mail-settings'],
  queryFn: ({ signal }) => ask('/api/mail-settings', MailSettings, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Creates a link that serves the profile once. Rejects with ProblemError. */
export function createProfileLink(slug: string): Promise<ProfileLink> {
  return ask('/api/mail-profile/link', ProfileLink, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tenant: slug }),
  })
}

async function ask<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  init: RequestInit,
): Promise<z.infer<Schema>> {
  const response = await fetch(path, {
    ...init,
    headers: { accept: 'application/json', ...init.headers },
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw new ProblemError(problemFromBody(body, response.status))
  return schema.parse(body)
}
