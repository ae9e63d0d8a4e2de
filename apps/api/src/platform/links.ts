import type { Config } from './config.ts'

/**
 * The address of a page of the customer portal, for a mail; empty while the installation does not
 * say where its portal is.
 */
export function portalLink({ portalUrl }: Pick<Config, 'portalUrl'>, path: `/${string}`): string {
  return portalUrl === null ? '' : new URL(path, portalUrl).href
}

/** The same of the operator portal. */
export function operatorLink(
  { operatorUrl }: Pick<Config, 'operatorUrl'>,
  path: `/${string}`,
): string {
  return operatorUrl === null ? '' : new URL(path, operatorUrl).href
}
