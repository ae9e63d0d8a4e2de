const alphabet = 'abcdefghijklmnopqrstuvwxyz792013'
const largest = 2n ** 64n - 1n

/** An unsigned 64-bit number as Stalwart writes ids: base32, no padding, `a` for 0, `ba` for 32. */
export function encodeId(number: bigint | number): string {
  let rest = BigInt(number)
  let text = ''
  do {
    text = `${alphabet[Number(rest & 31n)]}${text}`
    rest >>= 5n
  } while (rest > 0n)
  return text
}

/** The number of an id; undefined when the text is none. */
export function decodeId(text: string): bigint | undefined {
  if (text === '' || text.length > 13) return undefined
  let number = 0n
  for (const character of text) {
    const digit = alphabet.indexOf(character)
    if (digit === -1) return undefined
    number = (number << 5n) | BigInt(digit)
  }
  return number > largest ? undefined : number
}

/** Orders ids by their number. */
export function compareIds(one: string, other: string): number {
  if (one.length !== other.length) return one.length - other.length
  for (let index = 0; index < one.length; index += 1) {
    const difference = alphabet.indexOf(one.charAt(index)) - alphabet.indexOf(other.charAt(index))
    if (difference !== 0) return difference
  }
  return 0
}

/**
 * Milliseconds of 2020-01-01T00:00:00Z, so that long ids have the twelve characters that servers of
 * today give out.
 */
const epoch = 1_577_836_800_000

/**
 * The long, time-ordered id after `previous` for an object made at `now` (milliseconds since 1970).
 */
export function longId(now: number, previous: string | undefined): string {
  const fresh = BigInt(Math.max(0, now - epoch)) << 22n
  const last = previous === undefined ? undefined : decodeId(previous)
  return encodeId(last !== undefined && last >= fresh ? last + 1n : fresh)
}
