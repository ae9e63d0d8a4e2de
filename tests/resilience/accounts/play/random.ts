/** Numbers that look random and are the same for the same seed (xorshift, 32 bits). */
export function randomOf(seed: number) {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1
  const next = () => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state / 4_294_967_296
  }
  for (let n = 0; n < 20; n += 1) next()
  const whole = (most: number) => Math.floor(next() * most)
  return {
    /** From 0 to below `most`. */
    whole,
    chance: (probability: number) => next() < probability,
    one: <Item>(items: readonly Item[]): Item | undefined => items[whole(items.length)],
    /** The same items in another order. */
    shuffled<Item>(items: readonly Item[]): Item[] {
      return items
        .map((item) => ({ item, key: next() }))
        .sort((a, b) => a.key - b.key)
        .map(({ item }) => item)
    },
    /** A UUID of version 4. */
    uuid(): string {
      const digits = Array.from({ length: 32 }, () => whole(16).toString(16))
      digits[12] = '4'
      digits[16] = '8'
      return digits.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    },
  }
}

export type Random = ReturnType<typeof randomOf>
