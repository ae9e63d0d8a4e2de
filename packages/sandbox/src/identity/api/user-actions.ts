import { parseDuration } from '../duration.ts'
import { hashPassword } from '../passwords.ts'
import { isoNow, randomText } from '../records.ts'
import { ApiError, invalid } from './errors.ts'
import { readFields, required, text } from './fields.ts'
import { type ApiCall, done, ok, type Resource } from './router.ts'
import { findUser } from './users.ts'

const defaultTokenDuration = 'days=1'

/** Longest match of the request's host among the brands, else the default brand. */
function brandOf({ store, requestOrigin }: ApiCall) {
  const host = URL.parse(requestOrigin)?.hostname ?? ''
  const fits = store.records.brands.filter(
    ({ domain }) => host === domain || host.endsWith(`.${domain}`),
  )
  return (
    fits.toSorted((a, b) => b.domain.length - a.domain.length)[0] ??
    store.records.brands.find((brand) => brand.default)
  )
}

export const userActionResources: readonly Resource[] = [
  {
    path: 'core/users/:pk/set_password/',
    POST(call) {
      const user = findUser(call)
      const { password } = readFields({ password: required(text({ trim: false })) }, call.body)
      user.password = hashPassword(password ?? '')
      user.password_change_date = isoNow(call.store)
      user.last_updated = user.password_change_date
      return done
    },
  },
  {
    path: 'core/users/:pk/recovery/',
    POST(call) {
      const flow = call.store.records.flows.find((one) => one.pk === brandOf(call)?.flow_recovery)
      // Before the user is looked up, and a bare string: both as in authentik.
      if (!flow) throw new ApiError(400, { non_field_errors: 'No recovery flow set.' })
      const user = findUser(call)
      const { token_duration = defaultTokenDuration } = readFields(
        { token_duration: text({ blank: true }) },
        call.body,
      )
      const seconds = parseDuration(token_duration || defaultTokenDuration)
      if (seconds === undefined)
        throw invalid({
          token_duration: [
            `${token_duration} is not in the correct format of 'hours=3;minutes=1'.`,
          ],
        })
      const known = call.store.records.recoveryTokens[String(user.pk)]
      const token = {
        key: known?.key ?? randomText(60),
        expires: new Date(call.store.now() + seconds * 1000).toISOString(),
      }
      call.store.records.recoveryTokens[String(user.pk)] = token
      return ok({ link: `${call.requestOrigin}/if/flow/${flow.slug}/?flow_token=${token.key}` })
    },
  },
]
