/** One place of a path pattern: what may follow it, and what is there when nothing does. */
interface Place<Target> {
  readonly named: Map<string, Place<Target>>
  parameter: Place<Target> | undefined
  target: Target | undefined
  /** Names of the pattern's parameters, in their order; set where there is a target. */
  names: readonly string[]
}

export interface FoundPath<Target> {
  target: Target
  parameters: Record<string, string>
}

/**
 * Finds the pattern that a path belongs to, segment by segment: a segment of that name goes before a parameter, so that the me of
 * /users/me is not taken for an id. Patterns have their parameters in braces.
 */
export function createPaths<Target>(
  patterns: Iterable<readonly [pattern: string, target: Target]>,
): (path: string) => FoundPath<Target> | undefined {
  const root = createPlace<Target>()
  for (const [pattern, target] of patterns) {
    const names: string[] = []
    let place = root
    for (const segment of pattern.slice(1).split('/')) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1]
      if (name === undefined) place = entry(place.named, segment)
      else {
        names.push(name)
        place.parameter ??= createPlace()
        place = place.parameter
      }
    }
    place.target = target
    place.names = names
  }
  return (path) => {
    const segments = path.slice(1).split('/')
    const values: string[] = []
    const place = find(root, segments, 0, values)
    if (place?.target === undefined) return undefined
    const parameters: Record<string, string> = {}
    for (let i = 0; i < values.length; i++) parameters[place.names[i] ?? ''] = values[i] ?? ''
    return { target: place.target, parameters }
  }
}

function createPlace<Target>(): Place<Target> {
  return { named: new Map(), parameter: undefined, target: undefined, names: [] }
}

function entry<Target>(places: Map<string, Place<Target>>, segment: string): Place<Target> {
  const known = places.get(segment)
  if (known) return known
  const made = createPlace<Target>()
  places.set(segment, made)
  return made
}

/** The place where the segments end; `values` holds what stands for the parameters on the way there. */
function find<Target>(place: Place<Target>, segments: readonly string[], at: number, values: string[]): Place<Target> | undefined {
  if (at === segments.length) return place.target === undefined ? undefined : place
  const segment = segments[at] ?? ''
  const named = place.named.get(segment)
  const found = named && find(named, segments, at + 1, values)
  if (found || !place.parameter) return found
  values.push(segment)
  const behind = find(place.parameter, segments, at + 1, values)
  if (!behind) values.pop()
  return behind
}
