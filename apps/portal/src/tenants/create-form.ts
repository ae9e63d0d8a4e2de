import { slugCandidates, slugify } from '@atrium/core/tenants/slugs'
import { CreateTenant, type Plan } from '@atrium/core/tenants/tenants'
import type { ProblemInfo } from '@atrium/ui/problem'
import { withoutBlanks } from '@atrium/ui/zod-form'

/** The form as it is typed: text fields hold text, blank ones count as absent. */
export interface CreateFormValues {
  name: string
  slug: string
  /** Of a partner's customer; the person is invited. */
  ownerEmail: string
  plan: Plan
  domains: string[]
  billingInfo: { company: string; country: string }
}

export const emptyForm: CreateFormValues = {
  name: '',
  slug: '',
  ownerEmail: '',
  plan: 'free',
  domains: [],
  billingInfo: { company: '', country: '' },
}

/**
 * What the form is checked against: the API's own rules, with a slug always given, so that people
 * get the address they saw.
 */
export const CreateForm = CreateTenant.pick({
  name: true,
  ownerEmail: true,
  plan: true,
  domains: true,
  billingInfo: true,
}).extend({
  slug: CreateTenant.shape.slug.unwrap(),
})

/** The call of a valid form. */
export function toCreateTenant(values: CreateFormValues): CreateTenant {
  const { domains, ...rest } = CreateForm.parse(withoutBlanks(values))
  return { ...rest, ...(domains?.length ? { domains } : {}), respondAsync: true }
}

/** The address suggested for a name; empty when the name holds nothing of a-z and 0-9. */
export function suggestSlug(name: string): string {
  return slugify(name) ?? ''
}

/** Another address to offer when one is taken: `acme` gives `acme-2`, `acme-2` gives `acme-3`. */
export function nextSlug(taken: string): string {
  const numbered = /^(.+)-(\d{1,3})$/.exec(taken)
  const base = numbered?.[1] ?? taken
  const next = numbered?.[2] ? Number(numbered[2]) + 1 : 2
  return [...slugCandidates(base, next)].at(-1) ?? taken
}

/**
 * Which field an `already_exists` is about. The code is the same for both; only the sentence names
 * a domain.
 */
export function takenField({ code, message }: ProblemInfo): 'slug' | 'domains' | undefined {
  if (code !== 'already_exists') return undefined
  return /\bdomains?\b/i.test(message) ? 'domains' : 'slug'
}
