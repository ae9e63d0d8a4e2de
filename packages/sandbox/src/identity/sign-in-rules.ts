import { allowlistAdmits } from '@atrium/core/security-policy/ip-allowlist'
import { z } from 'zod'
import { allGroupsOf } from './people.ts'
import type { Store, UserRecord } from './records.ts'

/**
 * Networks with their country (ISO 3166-1 alpha-2), as the GeoIP database of an authentik has them.
 */
export type Countries = Readonly<Record<string, string>>

/** The attribute `atrium_policy` of a group, as the expressions of our blueprint read it. */
const Rules = z.object({
  mfa_required_from: z.iso.datetime({ offset: true }).nullish(),
  networks: z.array(z.string()).nullish(),
  countries: z.array(z.string()).nullish(),
})
type Rules = z.infer<typeof Rules>

/** Undefined for rules that cannot be read; the blueprint's stages count those as broken. */
function rulesOf(store: Store, user: UserRecord): (Rules | undefined)[] {
  return allGroupsOf(store, user).map(
    ({ attributes }) => Rules.safeParse(attributes.atrium_policy || {}).data,
  )
}

/**
 * Whether a group of the person does not admit sign-in from this address: the policy
 * `atrium-access-rejected`. Countries are checked only with a database of them, and then an
 * address that it does not know is rejected.
 */
export function isAccessRejected(
  store: Store,
  user: UserRecord,
  { address, countries }: { address: string; countries: Countries | undefined },
): boolean {
  const country = Object.entries(countries ?? {}).find(([network]) =>
    allowlistAdmits([network], address),
  )?.[1]
  return rulesOf(store, user).some(
    (rules) =>
      !rules ||
      !allowlistAdmits(rules.networks ?? [], address) ||
      (countries !== undefined &&
        (rules.countries ?? []).length > 0 &&
        !(country !== undefined && rules.countries?.includes(country))),
  )
}

/**
 * Whether a group of the person requires a second factor by now and they have none: the policy
 * `atrium-second-factor-missing`. Recovery codes alone are none.
 */
export function isSecondFactorMissing(store: Store, user: UserRecord): boolean {
  const has = store.records.devices.some(
    (device) => device.user === user.pk && device.confirmed && device.kind !== 'static',
  )
  return (
    !has &&
    rulesOf(store, user).some(
      (rules) =>
        !rules ||
        (rules.mfa_required_from != null && Date.parse(rules.mfa_required_from) <= store.now()),
    )
  )
}
