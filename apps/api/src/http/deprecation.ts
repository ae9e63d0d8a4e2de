import { appRouter } from '../router.ts'
import { proceduresOf } from '../rpc/procedure.ts'
import { sectionName } from './reference/section-name.ts'

/**
 * The headers of a response to calls of these procedures, of which some may be deprecated:
 * `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and a `Link` to each one's place in the API
 * reference. In a batch the earliest dates count. Empty when none is deprecated.
 */
export function deprecationHeaders(names: readonly string[]): Record<string, string> {
  const procedures = proceduresOf(appRouter)
  const links = new Set<string>()
  const since: number[] = []
  const sunset: number[] = []
  for (const name of names) {
    const meta = procedures[name]?._def.meta
    if (!meta?.deprecated) continue
    since.push(Date.parse(meta.deprecated.since))
    sunset.push(Date.parse(meta.deprecated.sunset))
    const section = sectionName(meta.openapi?.tags[0])
    const target = `</docs/${section}#${name.replaceAll('.', '-')}>`
    for (const relation of ['deprecation', 'sunset'])
      links.add(`${target}; rel="${relation}"; type="text/html"`)
  }
  if (links.size === 0) return {}
  return {
    deprecation: `@${Math.min(...since) / 1000}`,
    sunset: new Date(Math.min(...sunset)).toUTCString(),
    link: [...links].join(', '),
  }
}
