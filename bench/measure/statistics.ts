/** Median of at least one value; the mean of the middle two when their number is even. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Slope of the straight line through points of x and y with the least squared distance in y. */
export function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (pick: 0 | 1) => points.reduce((sum, point) => sum + point[pick], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const over = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  return over / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}

/** The value that this share of the values, from 0 to 1, does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  return (
    values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ??
    Number.NaN
  )
}

/** A bar is met when the median and at least seven of nine rounds meet it. */
export function meets(
  values: readonly number[],
  bar: number,
  direction: 'at least' | 'at most',
): boolean {
  const passes = (value: number) => (direction === 'at least' ? value >= bar : value <= bar)
  return (
    values.length > 0 &&
    passes(median(values)) &&
    values.filter(passes).length >= Math.ceil((values.length * 7) / 9)
  )
}

/** How far a peer measured against itself may be from 1 before a run is worth no verdict. */
export const nullBounds = { low: 0.97, high: 1.03 } as const

export function passesNullTest(values: readonly number[]): boolean {
  const middle = median(values)
  return middle >= nullBounds.low && middle <= nullBounds.high
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A new array in random order (Fisher and Yates). */
export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const order = [...items]
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const [a, b] = [order[i], order[j]]
    if (a === undefined || b === undefined) continue
    order[i] = b
    order[j] = a
  }
  return order
}
