import type { Answers } from './answers.ts'

/** Host names and domains of an installation. */
export interface Names {
  portal: string
  operator: string
  booking: string
  api: string
  identity: string
  files: string
  mail: string
  /** Domain of the platform's own accounts and mail; the default domain of the mail server. */
  mailDomain: string
  /** Suffix of the mail domain that each tenant has from the start. */
  tenantDomain: string
}

/** The names that follow from the domain. */
export function namesOf({ domain }: Pick<Answers, 'domain'>): Names {
  return {
    portal: `portal.${domain}`,
    operator: `operator.${domain}`,
    booking: `book.${domain}`,
    api: `api.${domain}`,
    identity: `id.${domain}`,
    files: `files.${domain}`,
    mail: `mail.${domain}`,
    // Below the domain itself, which may become the domain of a customer: the operator's company.
    mailDomain: `platform.${domain}`,
    tenantDomain: `tenants.${domain}`,
  }
}

/** Names that lead to the server. */
export function hostsOf(names: Names): string[] {
  const { portal, operator, booking, api, identity, files, mail } = names
  return [portal, operator, booking, api, identity, files, mail]
}
