/**
 * The identity provider behind an issuer, as one text. authentik has an issuer per application,
 * `<address>/application/o/<slug>/`, or one for all, `<address>/`, and names a person by the same
 * `sub` in all of them: these are one provider. Every other issuer is a provider of its own (OpenID
 * Connect Core 1.0 section 2: `sub` is unique within the issuer).
 */
export function providerOf(issuer: string): string {
  return issuer.replace(/\/application\/o\/[^/]+\/?$/, '/')
}

export interface IssuerSettings {
  issuers: readonly string[]
  audiences: readonly string[]
  operatorAudience: string
  /** Issuers whose tokens may carry operator rights; undefined: see `operatorIssuersOf`. */
  operatorIssuers: readonly string[] | undefined
  /**
   * Issuers of the identity provider that the API manages; undefined: the first, and those of the
   * same provider.
   */
  managedIssuers: readonly string[] | undefined
}

/**
 * The issuers whose tokens for the operator audience are an operator's. Lists of equal length are
 * pairs: the issuer at the index of the operator audience. A single issuer serves every audience.
 * Undefined when neither applies, and a setting has to decide.
 */
export function operatorIssuersOf(settings: IssuerSettings): readonly string[] | undefined {
  const { issuers, audiences, operatorAudience, operatorIssuers } = settings
  if (operatorIssuers) return operatorIssuers
  if (issuers.length === 1) return issuers
  if (issuers.length !== audiences.length) return undefined
  return issuers.filter((_issuer, at) => audiences[at] === operatorAudience)
}

/**
 * The prefix of an issuer's `sub` values in our records: empty for the managed provider, so that a
 * change of its address changes no one; `<provider>|` for every other, so that the same `sub` there
 * is another person.
 */
export function subjectPrefixes(settings: IssuerSettings): ReadonlyMap<string, string> {
  const managed = settings.managedIssuers ?? settings.issuers.slice(0, 1)
  const providers = new Set(managed.map(providerOf))
  return new Map(
    settings.issuers.map((issuer) => [
      issuer,
      providers.has(providerOf(issuer)) ? '' : `${providerOf(issuer)}|`,
    ]),
  )
}
